#pragma once

// Which sanitizers this program was built with. Some tests count or limit memory, or race on
// purpose.

#if defined(__SANITIZE_ADDRESS__)
#define HURRAY_TEST_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HURRAY_TEST_UNDER_ASAN 1
#endif
#endif
#ifndef HURRAY_TEST_UNDER_ASAN
#define HURRAY_TEST_UNDER_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define HURRAY_TEST_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HURRAY_TEST_UNDER_TSAN 1
#endif
#endif
#ifndef HURRAY_TEST_UNDER_TSAN
#define HURRAY_TEST_UNDER_TSAN 0
#endif
