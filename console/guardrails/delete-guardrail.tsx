import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../api/client.ts'
import { fetchAllPages } from '../api/pages.ts'
import { invalidate } from '../api/resource.ts'
import type { Guardrail } from '../api/types.ts'
import { ConfirmDeleteByName } from '../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../components/form/dialog.tsx'
import { onFirstClick } from '../components/form/double-click.ts'
import { runOrToast } from '../components/form/use-action.ts'
import { toast } from '../components/page/toast.tsx'
import { emptyPolicy, patchBetween, policyOf } from './policy.ts'

/**
 * A button that deletes a guardrail. Its policy and assignments can be restored, but not the spend of its limit. Hence a guardrail with a
 * limit requires confirmation.
 */
export function DeleteGuardrail({ guardrail }: { guardrail: Guardrail }) {
  const { route } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const { id, name, limit_usd } = guardrail
  const remove = async () => {
    const assigned = await fetchAssignments(id)
    await call('DELETE /guardrails/{id}', { params: { id } })
    invalidate('/guardrails')
    route('/guardrails')
    const restore = async () => {
      const newId = await restoreGuardrail(guardrail, assigned)
      invalidate('/guardrails')
      route(`/guardrails/${newId}`)
      toast(`${name} restored with a new ID`)
    }
    toast(`${name} deleted`, limit_usd === null ? { undo: () => void runOrToast(restore) } : {})
  }
  return (
    <>
      <button
        type="button"
        onClick={onFirstClick(() => (limit_usd === null ? void runOrToast(remove) : setOpen(true)))}
      >
        Delete
      </button>
      {isOpen && (
        <Dialog title={`Delete ${name}`} onClose={() => setOpen(false)}>
          <h2>Delete {name}</h2>
          <p>
            Its keys and members then have only the default guardrail of the workspace. The recorded spend of its limit
            is deleted.
          </p>
          <ConfirmDeleteByName name={name} verb="delete" onConfirm={remove} />
        </Dialog>
      )}
    </>
  )
}

type AssignmentIds = { keys: string[]; members: string[] }

/** Fetches all assignments of a guardrail. */
async function fetchAssignments(guardrailId: string): Promise<AssignmentIds> {
  const [keys, members] = await Promise.all([
    fetchAllPages((query) => call('GET /guardrails/{id}/assignments/keys', { params: { id: guardrailId }, query })),
    fetchAllPages((query) => call('GET /guardrails/{id}/assignments/members', { params: { id: guardrailId }, query })),
  ])
  return { keys: keys.map(({ key_hash }) => key_hash), members: members.map(({ user_id }) => user_id) }
}

/** Creates the guardrail and its assignments again. @returns the new id. */
async function restoreGuardrail(guardrail: Guardrail, { keys, members }: AssignmentIds): Promise<string> {
  const { name, workspace_id } = guardrail
  const fields = patchBetween(emptyPolicy(''), policyOf(guardrail))
  const { id } = (await call('POST /guardrails', { body: { ...fields, name, workspace_id } })).data
  const params = { id }
  if (keys.length > 0) await call('POST /guardrails/{id}/assignments/keys', { params, body: { key_hashes: keys } })
  if (members.length > 0) {
    await call('POST /guardrails/{id}/assignments/members', { params, body: { member_user_ids: members } })
  }
  return id
}
