import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { type Command, commands, findCommands } from './commands.ts'
import { Dialog } from './dialog.tsx'
import { useKeys } from './keys.ts'
import { useNameSearch } from './name-search.ts'

const isOpen = signal(false)
export const openPalette = () => {
  isOpen.value = true
}
const close = () => {
  isOpen.value = false
}

/** The command palette. */
export function Palette() {
  useKeys([{ key: 'Ctrl-K', says: 'open search and commands', act: openPalette }])
  return isOpen.value ? <OpenPalette /> : null
}

function OpenPalette() {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const named = useNameSearch(typed)
  const found = [...findCommands(commands(), typed).slice(0, 50), ...named]
  const at = Math.min(chosen, found.length - 1)
  const run = (command: Command | undefined) => {
    close()
    command?.act()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setChosen((at + step + found.length) % Math.max(1, found.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(found[at])
    }
  }
  return (
    <Dialog title="Search and commands" className="palette" onClose={close}>
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found.length > 0 ? `command-${at}` : undefined}
        aria-label="Search"
        placeholder="Search screens, keys, members and commands"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <div id="commands" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          <div
            key={`${command.title} ${command.hint}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(command)}
          >
            {command.title} <span class="dim">{command.hint}</span>
          </div>
        ))}
        {found.length === 0 && <div class="dim">No results</div>}
      </div>
    </Dialog>
  )
}
