import { ModelPicker } from '../components/form/model-picker.tsx'
import { fieldLabel } from '../components/policy/rule-label.ts'
import type { Field } from './config-fields.ts'

type Props = { field: Field; text: string; problem: string | undefined; onChange: (text: string) => void }

export const labelOf = ({ name }: Field) => {
  const label = name === 'models' ? 'fallback models' : fieldLabel(name)
  return label[0]!.toUpperCase() + label.slice(1)
}

/** The input of one field of a version, with its problem below. */
export function FieldInput({ field, text, problem, onChange }: Props) {
  const { name, kind } = field
  const errorAttributes = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${name}-problem` }
  const isModel = kind === 'model' || kind === 'models'
  return (
    <div class="preset-field">
      {isModel ? (
        <ModelPicker
          label={labelOf(field)}
          models={text.split('\n').filter(Boolean)}
          // A model that is added replaces the only one.
          onChange={(models) => onChange(kind === 'model' ? (models.at(-1) ?? '') : models.join('\n'))}
        />
      ) : (
        <label for={`preset-${name}`}>
          {labelOf(field)}
          <Input field={field} text={text} onChange={onChange} errorAttributes={errorAttributes} />
        </label>
      )}
      {problem !== undefined && (
        <p class="bad" id={`${name}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

function Input({
  field: { name, kind, hint },
  text,
  onChange,
  errorAttributes,
}: Omit<Props, 'problem'> & { errorAttributes: object }) {
  const inputProps = {
    ...errorAttributes,
    id: `preset-${name}`,
    value: text,
    placeholder: hint ?? '',
    onInput: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (kind === 'flag')
    return (
      <select
        {...errorAttributes}
        id={inputProps.id}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">Default</option>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    )
  if (kind === 'number') return <input inputMode="decimal" autocomplete="off" {...inputProps} />
  if (kind === 'text') return <input autocomplete="off" {...inputProps} />
  const rows = Math.min(12, Math.max(kind === 'prompt' ? 4 : 2, text.split('\n').length))
  return <textarea class={kind === 'prompt' ? '' : 'mono'} rows={rows} spellcheck={kind === 'prompt'} {...inputProps} />
}
