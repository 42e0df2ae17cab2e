import { useState } from 'preact/hooks'
import { Dialog } from '../form/dialog.tsx'
import { isEnter } from '../window/keyboard.ts'
import { type Command, commands, findCommands } from './commands.ts'
import { useNameSearch } from './name-search.ts'

/** `ofRequests`: whether a result leads to its requests instead of its page. */
export type PaletteState = { typed: string; ofRequests: boolean }

/** More rows would make typing slow. */
const maxCommands = 50

/** The dialog of the palette. It is loaded after the first screen. */
export function OpenPalette({ typed: initial, ofRequests, onClose }: PaletteState & { onClose: () => void }) {
  const [typed, setTyped] = useState(initial)
  const [chosen, setChosen] = useState(0)
  const { commands: named, byExactId, isSearching } = useNameSearch(typed, ofRequests)
  const matchingCommands = findCommands(commands(), typed).slice(0, maxCommands)
  const matches = ofRequests ? [...named, ...matchingCommands] : [...matchingCommands, ...named]
  const found = [...matches, ...byExactId]
  const selectedIndex = Math.min(chosen, found.length - 1)
  const run = (command: Command | undefined) => {
    onClose()
    command?.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setChosen((selectedIndex + step + found.length) % Math.max(1, found.length))
    } else if (isEnter(event)) {
      event.preventDefault()
      run(found[selectedIndex])
    }
  }
  return (
    <Dialog title="Search and commands" className="palette" onClose={onClose}>
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found.length > 0 ? `command-${selectedIndex}` : undefined}
        aria-label="Search"
        placeholder="Search by ID or name, or enter a command"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          <div
            key={`${command.title} ${command.hint}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === selectedIndex}
            onClick={() => run(command)}
          >
            {command.title} <span class="dim">{command.hint}</span>
          </div>
        ))}
      </div>
      {matches.length === 0 && (
        <p class="dim none" role="status">
          {isSearching ? 'Searching …' : 'No results.'}
        </p>
      )}
    </Dialog>
  )
}
