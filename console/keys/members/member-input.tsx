import { useId } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import { memberName } from '../../components/text/member-name.ts'
import { useDebounced } from '../../components/window/use-debounced.ts'
import { canReadOrganization } from '../permissions.ts'

const maxSuggestions = 10

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  isRequired?: boolean
  placeholder?: string
}

/**
 * A field for email addresses, separated by spaces, commas or semicolons. It suggests members of the organization to sessions that can
 * list them; a suggestion completes the last address.
 */
export function MemberInput({ label, value, onChange, isRequired = false, placeholder }: Props) {
  const session = currentSession()
  const listId = useId()
  const precedingText = value.replace(/[^\s,;]*$/, '')
  const q = useDebounced(value.slice(precedingText.length))
  const shouldSuggest = q.length > 1 && canReadOrganization(session)
  const { data } = useGet(
    'GET /organization/members',
    shouldSuggest ? { query: { q, limit: maxSuggestions } } : undefined,
  )
  return (
    <label>
      {label}
      <input
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        list={listId}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {(data?.data ?? []).map((member) => (
          <option key={member.id} value={precedingText + member.email}>
            {memberName(member)}
          </option>
        ))}
      </datalist>
    </label>
  )
}
