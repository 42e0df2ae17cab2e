import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import type { GuardrailPatch } from '../api/types.ts'
import { Difference } from '../components/difference.tsx'
import { Problem } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { counted } from '../format/count.ts'
import { changesBetween, type Policy, patchBetween } from './policy.ts'

type UnsavedChangesProps = { id: string; saved: Policy; policy: Policy; drop: () => void; done: () => void }

/** Lists the unsaved changes, and saves or discards them. */
export function UnsavedChanges({ id, saved, policy, drop, done }: UnsavedChangesProps) {
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const changes = changesBetween(saved, policy)
  const write = async (body: GuardrailPatch) => {
    await call('PATCH /guardrails/{id}', { params: { id }, body })
    invalidate('/guardrails')
    invalidate('/audit')
    done()
  }
  const undo = () =>
    write(patchBetween(policy, saved)).catch((error) => toast(asFailure(error).message, { isBad: true }))
  const save = async () => {
    setSaving(true)
    setProblem(undefined)
    try {
      await write(patchBetween(saved, policy))
      toast('Saved', { undo: () => void undo() })
    } catch (error) {
      setProblem(asFailure(error).message)
      setSaving(false)
    }
  }
  return (
    <section aria-label="Unsaved changes" data-then="meaning">
      <h2>{counted(changes.length, 'change')}, not saved yet</h2>
      <Difference changes={changes} />
      <Problem text={problem} />
      <p class="guardrail-do">
        <button type="button" class="main" disabled={isSaving} onClick={() => void save()}>
          Save
        </button>
        <button
          type="button"
          onClick={() => {
            drop()
          }}
        >
          Discard changes
        </button>
      </p>
    </section>
  )
}
