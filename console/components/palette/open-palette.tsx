import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../form/dialog.tsx'
import { isEnter } from '../window/keyboard.ts'
import { type Command, commands, findCommands } from './commands.ts'
import { useNameSearch } from './name-search.ts'

/** `ofRequests`: whether a result leads to its requests instead of its page. */
export type PaletteState = { searchText: string; ofRequests: boolean }

/** More rows would make typing slow. */
const maxCommands = 50

/** The dialog of the palette. It is loaded after the first screen. */
export function OpenPalette({ searchText: initialText, ofRequests, onClose }: PaletteState & { onClose: () => void }) {
  const [searchText, setSearchText] = useState(initialText)
  const [requestedIndex, setRequestedIndex] = useState(0)
  const { commands: nameResults, byExactId, isSearching } = useNameSearch(searchText, ofRequests)
  const matchingCommands = findCommands(commands(), searchText).slice(0, maxCommands)
  const matches = ofRequests ? [...nameResults, ...matchingCommands] : [...matchingCommands, ...nameResults]
  const results = [...matches, ...byExactId]
  const selectedIndex = Math.min(requestedIndex, results.length - 1)
  useEffect(() => {
    document.getElementById(`command-${selectedIndex}`)?.scrollIntoView({ block: 'nearest' })
  }, [selectedIndex])
  const run = (command: Command | undefined) => {
    onClose()
    command?.onSelect()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setRequestedIndex((selectedIndex + step + results.length) % Math.max(1, results.length))
    } else if (isEnter(event)) {
      event.preventDefault()
      run(results[selectedIndex])
    }
  }
  return (
    <Dialog title="Search and commands" className="palette" onClose={onClose}>
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={results.length > 0 ? `command-${selectedIndex}` : undefined}
        aria-label="Search"
        placeholder="Search by ID or name, or enter a command"
        value={searchText}
        onInput={(event) => {
          setSearchText(event.currentTarget.value)
          setRequestedIndex(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Commands">
        {results.map((command, index) => (
          <div
            key={index}
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
