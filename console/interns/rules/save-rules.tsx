import { asFailure } from '../../api/failure.ts'
import { invalidate } from '../../api/resource.ts'
import type { InternRule, InternRules } from '../../api/types.ts'
import { runOrToast, useAction } from '../../components/form/use-action.ts'
import { Problem } from '../../components/page/problem.tsx'
import { toast } from '../../components/page/toast.tsx'
import { FieldChanges } from '../../components/text/field-changes.tsx'
import { changesBetween } from './rule-words.ts'
import { type RulesOwner, rulesApi } from './rules-owner.ts'

type Props = {
  owner: RulesOwner
  /** The rules that the draft changes. */
  base: InternRules
  rules: InternRule[]
  /** Whether somebody else has changed the rules since. */
  isOutdated: boolean
  onReload: () => void
  onDiscard: () => void
  onSaved: () => void
}

/** The unsaved changes, with buttons that save or discard them. */
export function SaveRules({ owner, base, rules, isOutdated, onReload, onDiscard, onSaved }: Props) {
  const { problem, isBusy, run } = useAction()
  const write = async (next: InternRule[], expected_version: number) => {
    const { data } = await rulesApi(owner).write({ rules: next, expected_version })
    invalidate(`rules of ${owner.id}`)
    onSaved()
    return data.version
  }
  const save = () =>
    run(async () => {
      const version = await write(rules, base.version).catch((error) => {
        // The reloaded rules show what somebody else has changed.
        if (asFailure(error).status === 409) onReload()
        throw error
      })
      toast(`Saved as version ${version}`, {
        undo: () => void runOrToast(() => write(base.rules, version)),
      })
    })
  return (
    <section aria-label="Unsaved changes">
      <h2>Unsaved changes</h2>
      <FieldChanges changes={changesBetween(base.rules, rules)} />
      {!isOutdated && <Problem text={problem} />}
      <p class="intern-actions">
        <button type="button" class="main" disabled={isBusy || isOutdated} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={onDiscard}>
          Discard changes
        </button>
      </p>
    </section>
  )
}
