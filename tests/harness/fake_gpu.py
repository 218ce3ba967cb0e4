"""A device that computes as the processor does, and refuses tensors of others as a GPU does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

DEVICE = "meta"
#: Operations that a GPU allows between devices: copies, and indices on the processor.
_BETWEEN = frozenset({"_to_copy", "copy_", "index", "index_put", "index_put_"})


@contextmanager
def fake_gpu() -> Iterator[None]:
    """Let subjects, samplers and trainers run on a device of its own.

    It has the name of torch's device without content, and each of its tensors holds one on the
    processor with the numbers. An operation on tensors of both raises, as it does on a GPU; a
    tensor leaves the device by ``.cpu()``, or as a number.

    torch's own ``FakeTensorMode`` with ``device="cuda"`` cannot take its place, for two reasons.
    Its tensors have no numbers, and every path here reads some: a language model is opened by
    comparing its answers, a trainer looks at its loss, a sampler accepts or rejects. And on a build
    of torch for processors, its tensors cannot be indexed: ``ids[:, :3]``, which each model of
    transformers does, asks for a CUDA runtime ("PyTorch is not linked with support for cuda
    devices", torch 2.13), also where the parameters were made on the device without content.
    """
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_map_only

    kind = _tensor_type()

    class OneDevice(TorchDispatchMode):
        """Runs operations that make tensors, and refuses those on tensors of both devices."""

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return _run(func, args, kwargs or {})

    class FromNumbers(TorchFunctionMode):
        """Makes tensors of numbers, which torch would put on the device unseen."""

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            options = dict(kwargs or {})
            of_numbers = func in (torch.tensor, torch.as_tensor, torch.asarray)
            if of_numbers and _is_device(options.get("device")):
                del options["device"]
                grad = options.pop("requires_grad", False)
                numbers = tree_map_only(kind, lambda one: one.inner, args)
                return func(*numbers, **options).to(DEVICE).requires_grad_(grad)
            if func in (torch.Tensor.__getitem__, torch.Tensor.__setitem__):
                args = (args[0], _index(args[1]), *args[2:])
            return func(*args, **options)

    class Generator(torch.Generator):
        """A generator of the device, which draws on the processor."""

        def __new__(cls, device: Any = "cpu") -> Any:
            del device
            return super().__new__(cls)

    class Plain(torch.no_grad):
        """Takes the place of inference, whose tensors have no version, which ours need."""

        def __init__(self, mode: bool = True) -> None:
            del mode
            super().__init__()

    class Autocast(torch.autocast):
        """Takes the device, whose numbers are computed as they are."""

        def __init__(self, device_type: str, *args: Any, **options: Any) -> None:
            super().__init__("cpu" if device_type == DEVICE else device_type, *args, **options)

    fork = torch.random.fork_rng
    with OneDevice(), FromNumbers(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "inference_mode", Plain)
        patch.setattr(torch, "Generator", Generator)
        patch.setattr(torch, "autocast", Autocast)
        patch.setattr(torch.random, "fork_rng", lambda devices=(): fork(devices=[]))
        yield


@cache
def _tensor_type() -> Any:
    """Return the type of the device's tensors; torch is imported when it is first needed."""
    import torch

    plain: Any = torch.Tensor

    class OnDevice(plain):
        """A tensor of the device, with its numbers."""

        inner: torch.Tensor
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls: Any, inner: torch.Tensor) -> Any:
            made: Any = plain._make_wrapper_subclass(
                cls, inner.size(), strides=inner.stride(),
                storage_offset=inner.storage_offset(), dtype=inner.dtype, layout=inner.layout,
                device=DEVICE,
            )  # fmt: skip
            made.inner = inner
            return made

        def __init__(self, inner: torch.Tensor) -> None:
            del inner

        def tolist(self) -> Any:
            return self.inner.tolist()

        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            return _run(func, args, kwargs or {})

    return OnDevice


def _is_device(device: Any) -> bool:
    import torch

    return device is not None and torch.device(device).type == DEVICE


def _index(index: Any) -> Any:
    """Return an index whose lists of numbers are tensors on the processor."""
    import torch

    if isinstance(index, tuple):
        return tuple(map(_index, index))
    return torch.tensor(index) if isinstance(index, list) else index


def _tensors(values: Iterable[Any]) -> Iterator[Any]:
    """Tensors among an operation's arguments, which are values and lists of them."""
    import torch

    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _run(func: Any, args: Any, kwargs: Any) -> Any:
    """Run an operation on the processor; what it returns is on the device of its tensors."""
    import torch
    from torch.utils._python_dispatch import return_and_correct_aliasing
    from torch.utils._pytree import tree_map_only

    kind = _tensor_type()
    name = func.overloadpacket.__name__
    tensors = list(_tensors((*args, *kwargs.values())))
    if any(one.is_meta and not isinstance(one, kind) for one in tensors):
        raise RuntimeError(f"{func} got a tensor without numbers, which torch made by itself")
    # Numbers of the processor may meet tensors of a GPU.
    places = {isinstance(one, kind) for one in tensors if one.dim()}
    if len(places) > 1 and name not in _BETWEEN:
        raise RuntimeError(f"{func} got tensors on different devices: cpu and {DEVICE}")
    device = kwargs.get("device")
    if not _is_device(device) and not any(isinstance(one, kind) for one in tensors):
        return func(*args, **kwargs)
    inner_args, inner = tree_map_only(kind, lambda one: one.inner, (args, dict(kwargs)))
    if device is not None:
        inner["device"] = torch.device("cpu")
    if name == "histc" and not inner_args[0].is_floating_point():  # a GPU counts whole numbers
        inner_args = (inner_args[0].float(), *inner_args[1:])
    out = func(*inner_args, **inner)
    if name == "_local_scalar_dense":
        return out
    if device is not None and not _is_device(device):
        return out.clone()
    if name == "copy_" and not isinstance(args[0], kind):
        return args[0]
    wrapped = tree_map_only(torch.Tensor, kind, out)
    if device is not None:
        return wrapped
    return return_and_correct_aliasing(func, args, kwargs, wrapped)


@contextmanager
def two_gpus() -> Iterator[None]:
    """Let the processor and the device without content be two GPUs of a model that is split.

    No operation takes tensors of both but a copy: two GPUs share no indices either.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class TwoDevices(TorchDispatchMode):
        """Refuses all operations on tensors of both devices."""

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            given = (*args, *(kwargs or {}).values())
            devices = {one.device.type for one in _tensors(given)}
            if len(devices) > 1 and func.overloadpacket.__name__ != "_to_copy":
                raise RuntimeError(f"{func} got tensors on different devices: {sorted(devices)}")
            return func(*args, **(kwargs or {}))

    with TwoDevices():
        yield
