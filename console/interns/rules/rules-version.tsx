import { useResource } from '../../api/resource.ts'
import type { InternRule } from '../../api/types.ts'
import { Difference } from '../../components/difference.tsx'
import { Failed, Loading } from '../../components/page-states.tsx'
import { At } from '../../components/timestamp.tsx'
import { RuleList } from './rule-list.tsx'
import { changesBetween } from './rule-words.ts'
import { type Owner, rulesOf } from './rules-owner.ts'

type Props = {
  owner: Owner
  version: number
  /** The rules that hold. */
  against: InternRule[]
  /** Makes it the draft; saving is another step. */
  take?: (rules: InternRule[]) => void
}

/** The rules as they were, and what is other now. */
export function Version({ owner, version, against, take }: Props) {
  const { data, failure } = useResource(`rules of ${owner.id} at ${version}`, (signal) =>
    rulesOf(owner).read(version, { signal }),
  )
  if (failure) return <Failed failure={failure} />
  if (!data) return <Loading />
  const { rules, updated_at } = data.data
  return (
    <section aria-label={`Version ${version}`}>
      <h3>
        Version {version}, {updated_at && <At time={updated_at} />}
      </h3>
      {rules.length === 0 && <p>No rules.</p>}
      <RuleList rules={rules} />
      <h3>Changes since</h3>
      <Difference changes={changesBetween(rules, against)} />
      {take && (
        <button type="button" onClick={() => take(rules)}>
          Restore
        </button>
      )}
    </section>
  )
}
