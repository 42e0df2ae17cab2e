import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { saveFocus } from '../window/focus.ts'

/**
 * A modal dialog, open while it is mounted. Escape or a click outside closes it. A press that starts inside does not, such as
 * a selection of text that ends outside: the form would be lost.
 */
export function Dialog({
  title,
  onClose,
  className = '',
  children,
}: {
  title: string
  onClose: () => void
  className?: string
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedOutside = useRef(false)
  /** The target of a press outside is the dialog itself, like that of a press beside its controls. */
  const isOutside = ({ target, clientX: x, clientY: y }: MouseEvent) => {
    const { left, right, top, bottom } = dialog.current!.getBoundingClientRect()
    return target === dialog.current && (x < left || x > right || y < top || y > bottom)
  }
  // In a layout effect, so that the next key press goes to the dialog.
  useLayoutEffect(() => {
    const restoreFocus = saveFocus()
    dialog.current?.showModal()
    return restoreFocus
  }, [])
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-label={title}
      onClose={onClose}
      onPointerDown={(event) => {
        isPressedOutside.current = isOutside(event)
      }}
      onClick={(event) => {
        if (isPressedOutside.current && isOutside(event)) onClose()
      }}
    >
      {children}
      {/*
        The button closes the dialog on devices without a keyboard. It is last, so that the first field gets the focus. The
        palette has no space for it.
      */}
      {className !== 'palette' && (
        <button type="button" class="bare close-button" onClick={onClose} aria-label="Close">
          ✕
        </button>
      )}
    </dialog>
  )
}
