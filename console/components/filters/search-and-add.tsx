import { useState } from 'preact/hooks'
import { isEnter } from '../window/keyboard.ts'

export type SearchResult = { id: string; label: string }

type Props = {
  /** The accessible name of the field. */
  label: string
  placeholder: string
  /** Whether something must be chosen before the form is sent. */
  isRequired?: boolean
  resultsLabel: string
  noResults: string
  /** A hook that returns what matches the text; undefined while it is loaded. */
  useSearch: (text: string) => SearchResult[] | undefined
  onAdd: (result: SearchResult) => void
  /** Adds the text itself if Enter is pressed and nothing matches. */
  onAddText?: (text: string) => void
}

/** A search field whose results are added by a press. Enter adds the first and does not send the form. */
export function SearchAndAdd({
  label,
  placeholder,
  isRequired = false,
  resultsLabel,
  noResults,
  useSearch,
  onAdd,
  onAddText,
}: Props) {
  const [text, setText] = useState('')
  const results = useSearch(text.trim())
  const select = (one: SearchResult) => {
    setText('')
    onAdd(one)
  }
  return (
    <>
      <input
        aria-label={label}
        placeholder={placeholder}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isEnter(event)) return
          event.preventDefault()
          if (results?.[0]) return select(results[0])
          if (results?.length === 0 && text.trim() !== '' && onAddText) {
            onAddText(text.trim())
            setText('')
          }
        }}
      />
      {text.trim() !== '' && (
        <fieldset class="suggestions" aria-label={resultsLabel}>
          {results?.map((one) => (
            <button key={one.id} type="button" onClick={() => select(one)}>
              {one.label}
            </button>
          ))}
          {results?.length === 0 && <span class="dim">{noResults}</span>}
        </fieldset>
      )}
    </>
  )
}

type SelectedItemsProps = { label: string; selected: SearchResult[]; onRemove: (id: string) => void }

/** The chosen items, each with a button that removes it. */
export function SelectedItems({ label, selected, onRemove }: SelectedItemsProps) {
  if (selected.length === 0) return null
  return (
    <ul aria-label={label}>
      {selected.map(({ id, label: name }) => (
        <li key={id}>
          {name}{' '}
          <button type="button" class="bare" aria-label={`Remove ${name}`} onClick={() => onRemove(id)}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  )
}
