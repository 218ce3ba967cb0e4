"""One thread for matrix products: blocks of several threads overlap, and all is put back."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from biaslab.stats.threads import one_blas_thread


def threads() -> int:
    assert np.ones((2, 2)) @ np.ones(2) is not None  # numpy's library is loaded
    pools = ThreadpoolController().select(user_api="blas").info()
    return max(pool["num_threads"] for pool in pools)


@pytest.fixture
def two_threads() -> object:
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        if threads() != 2:
            pytest.skip("this numpy multiplies with one thread only")
        yield


@pytest.mark.usefixtures("two_threads")
def test_inside_there_is_one_and_after_it_what_was_before() -> None:
    with one_blas_thread():
        assert threads() == 1
        with one_blas_thread():
            assert threads() == 1
        assert threads() == 1
    assert threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_a_block_that_ends_before_one_that_began_later_leaves_nothing_behind() -> None:
    inside, leave = threading.Event(), threading.Event()

    def first() -> None:
        with one_blas_thread():
            inside.set()
            leave.wait(60)

    other = threading.Thread(target=first)
    other.start()
    assert inside.wait(60)
    with one_blas_thread():
        leave.set()
        other.join(60)
        assert threads() == 1
    assert threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_an_error_inside_puts_back_too() -> None:
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        _ = 1 / 0
    assert threads() == 2
