import { useResource } from '../../api/resource.ts'
import type { InternRule } from '../../api/types.ts'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { FieldChanges } from '../../components/text/field-changes.tsx'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { RuleList } from './rule-list.tsx'
import { changesBetween } from './rule-words.ts'
import { type RulesOwner, rulesApi } from './rules-owner.ts'

type Props = {
  owner: RulesOwner
  version: number
  /** The current rules. */
  currentRules: InternRule[]
  /** Makes the version the draft without saving it. */
  onRestore?: (rules: InternRule[]) => void
}

/** A version of the rules and the changes since. */
export function RulesVersion({ owner, version, currentRules, onRestore }: Props) {
  const { data, failure } = useResource(`rules of ${owner.id} at ${version}`, (signal) =>
    rulesApi(owner).read(version, { signal }),
  )
  if (failure) return <FailureState failure={failure} />
  if (!data) return <Loading />
  const { rules, updated_at } = data.data
  const changes = changesBetween(rules, currentRules)
  return (
    <section aria-label={`Version ${version}`}>
      <h3>
        Version {version}
        {updated_at && (
          <>
            , <ClockTime time={updated_at} />
          </>
        )}
      </h3>
      {rules.length === 0 && <p>No rules.</p>}
      <RuleList rules={rules} />
      <h3>Changes since</h3>
      {changes.length > 0 ? <FieldChanges changes={changes} /> : <p>None.</p>}
      {onRestore && (
        <button type="button" onClick={() => onRestore(rules)}>
          Restore
        </button>
      )}
    </section>
  )
}
