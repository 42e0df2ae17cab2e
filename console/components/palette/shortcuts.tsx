import { useState } from 'preact/hooks'
import { Dialog } from '../form/dialog.tsx'
import { shortcuts, useShortcuts } from '../window/keyboard.ts'

/** The list of keyboard shortcuts, opened with `?`. */
export function Shortcuts() {
  const [isOpen, setOpen] = useState(false)
  useShortcuts([{ key: '?', description: 'show keyboard shortcuts', onPress: () => setOpen(true) }])
  if (!isOpen) return null
  const byKey = new Map(shortcuts().map((shortcut) => [shortcut.key, shortcut]))
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setOpen(false)}>
      <h2>Keyboard shortcuts</h2>
      <dl class="keys">
        {[...byKey.values()].map(({ key, description }) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{description}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  )
}
