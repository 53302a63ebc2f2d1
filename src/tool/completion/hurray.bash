# Completion of the hurray program for bash.
_hurray() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    local types="bool int2 uint2 int4 uint4 int8 uint8 int16 uint16 int32 uint32 int64 uint64
        float4_e2m1 float6_e2m3 float6_e3m2 float8_e4m3 float8_e5m2 float8_e8m0 float16 bfloat16
        float32 float64 float128 complex64 complex128"
    local words= files=yes
    if ((COMP_CWORD == 1)); then
        words="import export inspect verify show stats spy convert split join generate
            help --help --version"
    elif ((COMP_CWORD == 2)) && [[ $command == help ]]; then
        words="import export inspect verify show stats spy convert split join generate"
    else
        case $before in
        --layout) words="csr csc" ;;
        --by) words="rows columns" ;;
        --type) words=$types ;;
        --checksums) [[ $command == convert ]] && words="on off" ;;
        --kind) words="uniform rmat banded poisson2d identity block-diagonal" ;;
        --alignment) words="4K 64K 2M" ;;
        --name | --dataset | --meta | --memory | --threads | --limit | --row | --column | --at | \
            --rows | --columns | --nnz | --bandwidth | --grid | --block | --scale | --seed | --parts | \
            --only | --rename) files= ;;
        esac
        if [[ -z $words && $word == -* ]]; then
            case $command in
            import) words="--layout --name --type --dataset --meta --checksums --alignment --memory
                --sum-duplicates --threads --quiet --help" ;;
            export) words="--threads --quiet --help" ;;
            inspect) words="--json --verbose --permissive --help" ;;
            verify) words="--set --permissive --json --require-checksums --limit --threads --quiet
                --help" ;;
            show) words="--row --column --at --rows --head --help" ;;
            stats) words="--write --threads --quiet --help" ;;
            spy) words="--quiet --help" ;;
            convert) words="--layout --type --only --rename --checksums --alignment --memory
                --threads --replace --quiet --help" ;;
            split) words="--parts --files --by --name --threads --quiet --help" ;;
            join) words="--name --quiet --help" ;;
            generate) words="--kind --rows --columns --nnz --bandwidth --grid --block --scale --seed
                --type --layout --name --quiet --help" ;;
            esac
        fi
    fi
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    elif [[ -n $files ]]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _hurray hurray
