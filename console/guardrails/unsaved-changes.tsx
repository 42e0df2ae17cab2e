import { call, ifUnchanged } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import type { Guardrail, GuardrailPatch } from '../api/types.ts'
import { runOrToast, useAction } from '../components/form/use-action.ts'
import { Problem } from '../components/page/problem.tsx'
import { toast } from '../components/page/toast.tsx'
import { FieldChanges } from '../components/text/field-changes.tsx'
import { countText } from '../format/count.ts'
import { changesBetween, type Policy, patchBetween } from './policy.ts'

type UnsavedChangesProps = {
  guardrailId: string
  /** The guardrail that the draft changes; undefined before its first save. */
  base: Guardrail | undefined
  savedPolicy: Policy
  policy: Policy
  /** Whether somebody else has changed the guardrail since. */
  isOutdated: boolean
  onDiscard: () => void
  onSaved: () => void
  onReload: () => void
}

/** The unsaved changes, with buttons that save or discard them. */
export function UnsavedChanges({
  guardrailId,
  base,
  savedPolicy,
  policy,
  isOutdated,
  onDiscard,
  onSaved,
  onReload,
}: UnsavedChangesProps) {
  const { problem, isBusy, run } = useAction()
  const changes = changesBetween(savedPolicy, policy)
  const write = async (body: GuardrailPatch, expected: Guardrail | undefined) => {
    const { data } = await call('PATCH /guardrails/{id}', { params: { id: guardrailId }, body }, ifUnchanged(expected))
    invalidate('/guardrails')
    invalidate('/audit')
    onSaved()
    return data
  }
  const undo = (updated: Guardrail) => runOrToast(() => write(patchBetween(policy, savedPolicy), updated))
  const save = () =>
    run(async () => {
      try {
        const updated = await write(patchBetween(savedPolicy, policy), base)
        toast('Saved', { undo: () => void undo(updated) })
      } catch (error) {
        // The reloaded guardrail shows what the other has changed.
        if (asFailure(error).status !== 412) throw error
        onReload()
      }
    })
  // `data-then`: the focus moves to the effect when this section is removed (`focus.ts`).
  return (
    <section aria-label="Unsaved changes" data-then="effect">
      <h2>{countText(changes.length, 'change')}, not saved yet</h2>
      <FieldChanges changes={changes} />
      <Problem text={problem} />
      <p class="guardrail-buttons">
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
