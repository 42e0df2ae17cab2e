import type { ComponentChildren } from 'preact'
import { useKeys } from './keys.ts'

/** The one thing that is open, at the right of its list; in a narrow window in its place. Escape closes it. */
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
  return (
    <aside class="panel" aria-label="Details">
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
