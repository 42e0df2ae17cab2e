import { useResource } from '../../api/resource.ts'
import type { InternRule } from '../../api/types.ts'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { Difference } from '../../components/text/difference.tsx'
import { ClockTime } from '../../components/text/timestamp.tsx'
import { RuleList } from './rule-list.tsx'
import { changesBetween } from './rule-words.ts'
import { type RulesOwner, rulesApi } from './rules-owner.ts'

type Props = {
  owner: RulesOwner
  version: number
  /** The current rules. */
  current: InternRule[]
  /** Makes the version the draft without saving it. */
  restore?: (rules: InternRule[]) => void
}

/** A version of the rules and the changes since. */
export function RulesVersion({ owner, version, current, restore }: Props) {
  const { data, failure } = useResource(`rules of ${owner.id} at ${version}`, (signal) =>
    rulesApi(owner).read(version, { signal }),
  )
  if (failure) return <FailureState failure={failure} />
  if (!data) return <Loading />
  const { rules, updated_at } = data.data
  const changes = changesBetween(rules, current)
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
      {changes.length > 0 ? <Difference changes={changes} /> : <p>None.</p>}
      {restore && (
        <button type="button" onClick={() => restore(rules)}>
          Restore
        </button>
      )}
    </section>
  )
}
