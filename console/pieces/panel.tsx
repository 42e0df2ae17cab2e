import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useKeys } from './keys.ts'

/** The one thing that is open, at the right of its list; in a narrow window in its place. Escape closes it, and who was in it is in the list again. */
export function Panel({
  title,
  onClose,
  children,
}: {
  title: ComponentChildren
  onClose: () => void
  children: ComponentChildren
}) {
  useKeys([{ key: 'Escape', says: 'close what is open', act: onClose }])
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    const { current } = panel
    return () => {
      if (!current?.contains(document.activeElement)) return
      // In a narrow window the list is there again once the panel is gone.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true }))
    }
  }, [])
  return (
    <aside ref={panel} class="panel" aria-label="Details">
      <header>
        <h2>{title}</h2>
        <button type="button" class="bare" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </aside>
  )
}
