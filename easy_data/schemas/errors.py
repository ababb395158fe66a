"""The whole exception tree.

::

    EasyDataError
    |-- InputError (ValueError)        the caller's data is wrong; the message names field and remedy
    |   |-- UnknownAttribute
    |   |-- ConversationTooLarge
    |   `-- ConversationConflict       same id, another body
    |-- SettingsError (ValueError)     a setting is missing, unknown or out of range
    |-- NotFound (LookupError)
    |-- StaleReview                    the memory changed after the proposal was made
    |-- StoreError
    |   |-- StoreClosed                used after close()
    |   |-- StoreLocked                another process holds the store
    |   |-- StoreReadOnly
    |   |-- StoreBusy                  retryable
    |   |-- IndexUnavailable           retryable
    |   `-- MigrationNeeded
    `-- ModelError
        |-- ModelUnavailable           retryable: time-out, 429, 5xx, connection
        |-- ModelRefused               wrong key, wrong model, bad request: a retry does not help
        `-- ModelAnswerUnreadable      retryable: the answer did not match the schema

The class docstring is the default message. ``code`` is stable and machine-readable; ``retryable`` says if the same
call may succeed later without a change. Messages never hold conversation text or secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from easy_data.schemas.ports import Usage


class EasyDataError(Exception):
    """Easy Data could not do this."""

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])


class InputError(EasyDataError, ValueError):
    """The input is not usable."""

    code = "input"

    def __init__(self, message: str | None = None, *, field: str | None = None) -> None:
        super().__init__(f"{field}: {message}" if field and message else message)
        self.field = field


class UnknownAttribute(InputError):
    """The attribute is not in the registry."""

    code = "unknown_attribute"


class ConversationTooLarge(InputError):
    """The conversation is larger than intake accepts."""

    code = "conversation_too_large"


class ConversationConflict(InputError):
    """This conversation id was already accepted with another body."""

    code = "conversation_conflict"


class SettingsError(EasyDataError, ValueError):
    """A setting is missing, unknown or out of range."""

    code = "settings"


class NotFound(EasyDataError, LookupError):
    """There is no such record for this tenant and entity."""

    code = "not_found"


class StaleReview(EasyDataError):
    """The memory changed after this proposal was made; the item needs a new decision."""

    code = "stale_review"


class StoreError(EasyDataError):
    """The store failed."""

    code = "store"


class StoreClosed(StoreError):
    """This memory was closed; open a new one."""

    code = "store_closed"


class StoreLocked(StoreError):
    """Another process has this store open."""

    code = "store_locked"


class StoreReadOnly(StoreError):
    """The store cannot be written to: the disk is full, or the file is read-only."""

    code = "store_read_only"


class StoreBusy(StoreError):
    """The store is busy; try again."""

    code = "store_busy"
    retryable = True


class IndexUnavailable(StoreError):
    """The vector index cannot be reached; memories are still served from SQL."""

    code = "index_unavailable"
    retryable = True


class MigrationNeeded(StoreError):
    """The database schema is not the one this release needs."""

    code = "migration_needed"


class ModelError(EasyDataError):
    """The model could not be used.

    ``usage`` is what the calls that led here used; ``status`` the HTTP status of the last answer, None without one.
    """

    code = "model"
    usage: tuple[Usage, ...] = ()
    status: int | None = None


class ModelUnavailable(ModelError):
    """The model did not answer in time or is overloaded."""

    code = "model_unavailable"
    retryable = True
    retry_after: float | None = None  # seconds the endpoint asked to wait


class ModelRefused(ModelError):
    """The model endpoint refused the request: check the key, the model's name and the base URL."""

    code = "model_refused"


class ModelAnswerUnreadable(ModelError):
    """The model answered, but not in the agreed form."""

    code = "model_answer_unreadable"
    retryable = True

    def __init__(self, message: str | None = None, *, answer: str = "") -> None:
        super().__init__(message)
        self.answer = answer
