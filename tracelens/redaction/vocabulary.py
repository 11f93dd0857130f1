"""Words that are no names: a user called ``max`` must not cost a log its ``max-autotune``."""

from __future__ import annotations

import builtins
import keyword

_WORDS_OF_LOGS = """
    abi admin amd anaconda aot app apps arch artifact assert async attention attn autograd autotune aws azure
    backend backward base bash batch bench bias bin bool bot build cache call cat checkpoint chrome cli client clone
    cloud cluster cmake code codegen common compile compiler conda config container conv core cpp cpu cubin cublas
    cuda cudagraph cudnn current data dataset debian debug default dep dev devel device diffusers dist docker docs
    dropout dtype dynamic dynamo eager elastic embed engine env error eval event example exec extension fake false
    file flash fork forward frame func function fused gcc gelu generic gpu gpus grad graph graphs group guard hash
    head header heads home host http hub huggingface image images import include inductor info inner input install
    int jenkins job jobs jupyter kernel key kube lab layer lib library libs linear linux list llm load local
    localhost log login logs loop loss machine main mask master math matmul mean media mem memory meta min mini
    miniconda mnt mode model models module nccl net network new ninja nobody node none norm notebook npm null num
    numpy nvcc nvidia obj old ollama op opencv ops opt optim out output param path pip pipeline placeholder pod pool
    port print prod profile program project projects proxy ptx pypi pytest python pytorch query rank ray recompile
    recompiles release relu remote repo reset rest result role root router run runner runpod runtime sample scratch
    script scripts sda self server service session shape share shared shell silu site size slurm snap softmax source
    spark src ssh stable stack stage start state status step storage store stream string sudo sum super swap symbol
    sys system target task team temp tensor test tests text thread time tmp token tool tools top torch torchinductor
    trace train trainer training transformers triton true tune type ubuntu unknown update user username users util
    utils value var vector venv version view virtual vllm volume volumes wandb warning web weight windows work
    workdir worker workspace world wrapper www xpu yaml zero
    """

#: In lower case.
ORDINARY_WORDS = frozenset(
    (*_WORDS_OF_LOGS.split(), *(word.lower() for word in (*dir(builtins), *keyword.kwlist, *keyword.softkwlist)))
)
