import { useGet } from '../../api/resource.ts'
import { matchesAllWords } from '../filters/matches-all-words.ts'
import { SearchAndAdd, type SearchResult, SelectedItems } from '../filters/search-and-add.tsx'

const maxSuggestions = 12

type Props = { label: string; models: string[]; onChange: (models: string[]) => void }

/** A field that selects models by words of their name. The list of models is loaded when something is typed. */
export function ModelPicker({ label, models, onChange }: Props) {
  const add = (model: string) => {
    if (!models.includes(model)) onChange([...models, model])
  }
  return (
    <fieldset class="picker">
      <legend>{label}</legend>
      <SelectedItems
        label={label}
        selected={models.map((id) => ({ id, label: id }))}
        onRemove={(id) => onChange(models.filter((one) => one !== id))}
      />
      <ModelSearch label={label} models={models} onAdd={add} />
    </fieldset>
  )
}

/** A field that finds models by words of their name. @param models the selected ones, which are not found. */
export function ModelSearch({ label, models, onAdd }: Omit<Props, 'onChange'> & { onAdd: (model: string) => void }) {
  return (
    <SearchAndAdd
      label={`Add to ${label.toLowerCase()}`}
      placeholder="Find a model to add, such as claude opus"
      resultsLabel="Matching models"
      noResults="No matching model."
      useSearch={(searchText) => {
        const available = useGet('GET /models/user', searchText === '' ? undefined : {}).data?.data
        return available && matchingModels(available, searchText, models)
      }}
      onAdd={({ id }) => onAdd(id)}
      // The service also accepts aliases, which the list does not have.
      onAddText={onAdd}
    />
  )
}

/** The models whose ID or name has all words, without the selected ones. */
const matchingModels = (
  available: { id: string; name: string }[],
  searchText: string,
  selected: string[],
): SearchResult[] =>
  available
    .filter(({ id, name }) => matchesAllWords(`${id} ${name}`, searchText) && !selected.includes(id))
    .slice(0, maxSuggestions)
    .map(({ id }) => ({ id, label: id }))
