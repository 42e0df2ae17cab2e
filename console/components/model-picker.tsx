import { useState } from 'preact/hooks'
import { useGet } from '../api/resource.ts'

const maxSuggestions = 12

type Props = { label: string; models: string[]; choose: (models: string[]) => void }

/** Selects models by words of their name. The list of models is loaded when the field gets the focus. */
export function ModelPicker({ label, models, choose }: Props) {
  const [typed, setTyped] = useState('')
  const [isActive, setActive] = useState(false)
  const available = useGet('GET /models/user', isActive ? {} : undefined).data?.data ?? []
  const suggestions = matchingModels(available, typed, models)
  const add = (model: string) => {
    setTyped('')
    if (model !== '' && !models.includes(model)) choose([...models, model])
  }
  return (
    <fieldset class="model-picker">
      <legend>{label}</legend>
      {models.length > 0 && (
        <ul aria-label={label}>
          {models.map((model) => (
            <li key={model}>
              {model}{' '}
              <button
                type="button"
                class="bare"
                aria-label={`Remove ${model}`}
                onClick={() => choose(models.filter((one) => one !== model))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        aria-label={`Add to ${label.toLowerCase()}`}
        placeholder="words of a model, such as claude opus"
        autocomplete="off"
        value={typed}
        onFocus={() => setActive(true)}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Enter does not send the form. The service also accepts aliases, which the list does not have.
          event.preventDefault()
          add(suggestions[0] ?? typed.trim())
        }}
      />
      {typed.trim() !== '' && (
        <div class="suggestions" role="group" aria-label="Matching models">
          {suggestions.map((model) => (
            <button key={model} type="button" onClick={() => add(model)}>
              {model}
            </button>
          ))}
          {suggestions.length === 0 && available.length > 0 && <span class="dim">No model has these words.</span>}
        </div>
      )}
    </fieldset>
  )
}

/** The models whose ID or name has all words, without the selected ones. */
function matchingModels(available: { id: string; name: string }[], typed: string, selected: string[]): string[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return available
    .filter(({ id, name }) => words.every((word) => `${id} ${name}`.toLowerCase().includes(word)))
    .map(({ id }) => id)
    .filter((id) => !selected.includes(id))
    .slice(0, maxSuggestions)
}
