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

/** A field for email addresses. It suggests members of the organization to sessions that can list them. */
export function MemberInput({ label, value, onChange, isRequired = false, placeholder }: Props) {
  const session = currentSession()
  // Suggestions replace the last address.
  const precedingText = value.replace(/[^\s,;]*$/, '')
  const q = useDebounced(value.slice(precedingText.length))
  const hasSuggestions = q.length > 1 && canReadOrganization(session)
  const { data } = useGet(
    'GET /organization/members',
    hasSuggestions ? { query: { q, limit: maxSuggestions } } : undefined,
  )
  return (
    <label>
      {label}
      <input
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
        list="member-suggestions"
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id="member-suggestions">
        {(data?.data ?? []).map((member) => (
          <option key={member.id} value={precedingText + member.email}>
            {memberName(member)}
          </option>
        ))}
      </datalist>
    </label>
  )
}
