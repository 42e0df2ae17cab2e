import { createRegistry } from './registry.ts'

/** A keyboard shortcut. `description` is its text in the list that `?` opens. */
type Shortcut = { key: string; description: string; onPress: (event: KeyboardEvent) => void }

/** Lists and registers shortcuts. If two components use the same key, the latest component wins. */
export const { list: shortcuts, useItems: useShortcuts } = createRegistry<Shortcut>()

/** The name of a key in bindings: `Ctrl-K`, `A`, `/`, `Escape`. */
function shortcutKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined
  return ctrlKey || metaKey ? `Ctrl-${key.toUpperCase()}` : key
}

/** The code of a key that an input method handles. */
const inputMethodKeyCode = 229

/**
 * Whether an Enter in a text field is the user's, and not one that confirms the text of an input method, as in Japanese. Safari ends
 * the composition before this key, so only the code of the key says so there.
 */
export const isEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.isComposing && event.keyCode !== inputMethodKeyCode

/** Whether the target is a text input, in which keys are text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

function onKeyDown(event: KeyboardEvent): void {
  const name = shortcutKey(event)
  if (name === undefined || event.defaultPrevented || event.isComposing) return
  const isCommand = name.startsWith('Ctrl-')
  if (isTyping(event.target) && !isCommand && name !== 'Escape') return
  if (!isCommand && document.querySelector('dialog[open]')) return
  // Enter presses the focused control.
  if (name === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return
  const shortcut = shortcuts().findLast(({ key }) => key === name)
  if (!shortcut) return
  event.preventDefault()
  shortcut.onPress(event)
}

if (typeof document !== 'undefined') document.addEventListener('keydown', onKeyDown)
