import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { keepFocus } from './focus.ts'

/** A native dialog that is open as long as it is rendered. Escape, and a press beside it, close it. */
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
  useEffect(() => {
    const goBack = keepFocus()
    dialog.current?.showModal()
    return goBack
  }, [])
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
      {/* Last, so that the first field has the focus; where there is no keyboard, nobody presses Escape. */}
      {className !== 'palette' && (
        <button type="button" class="bare shut" onClick={onClose} aria-label="Close">
          ✕
        </button>
      )}
    </dialog>
  )
}
