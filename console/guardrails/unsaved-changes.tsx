import { useState } from 'preact/hooks'
import { call, ifUnchanged } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import type { Guardrail, GuardrailPatch } from '../api/types.ts'
import { runOrToast } from '../components/form/use-action.ts'
import { Problem } from '../components/page/problem.tsx'
import { toast } from '../components/page/toast.tsx'
import { Difference } from '../components/text/difference.tsx'
import { countText } from '../format/count.ts'
import { changesBetween, type Policy, patchBetween } from './policy.ts'

type UnsavedChangesProps = {
  id: string
  /** The guardrail that the draft changes; undefined before its first save. */
  base: Guardrail | undefined
  saved: Policy
  policy: Policy
  /** Whether somebody else has changed the guardrail since. */
  isOutdated: boolean
  discard: () => void
  onSaved: () => void
  reload: () => void
}

/** Lists the unsaved changes, and saves or discards them. */
export function UnsavedChanges({ id, base, saved, policy, isOutdated, discard, onSaved, reload }: UnsavedChangesProps) {
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const changes = changesBetween(saved, policy)
  const write = async (body: GuardrailPatch, expected: Guardrail | undefined) => {
    const { data } = await call('PATCH /guardrails/{id}', { params: { id }, body }, ifUnchanged(expected))
    invalidate('/guardrails')
    invalidate('/audit')
    onSaved()
    return data
  }
  const undo = (after: Guardrail) => runOrToast(() => write(patchBetween(policy, saved), after))
  const save = async () => {
    setSaving(true)
    setProblem(undefined)
    try {
      const after = await write(patchBetween(saved, policy), base)
      toast('Saved', { undo: () => void undo(after) })
    } catch (error) {
      const { status, message } = asFailure(error)
      // The reloaded guardrail shows what the other has changed.
      if (status === 412) reload()
      else setProblem(message)
      setSaving(false)
    }
  }
  // `data-then`: the focus moves to the effect when this section is removed (`focus.ts`).
  return (
    <section aria-label="Unsaved changes" data-then="effect">
      <h2>{countText(changes.length, 'change')}, not saved yet</h2>
      <Difference changes={changes} />
      <Problem text={problem} />
      <p class="guardrail-buttons">
        <button type="button" class="main" disabled={isSaving || isOutdated} onClick={() => void save()}>
          Save
        </button>
        <button type="button" onClick={discard}>
          Discard changes
        </button>
      </p>
    </section>
  )
}
