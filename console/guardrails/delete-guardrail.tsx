import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../api/client.ts'
import { everyPage } from '../api/pages.ts'
import { forget } from '../api/resource.ts'
import type { Guardrail } from '../api/types.ts'
import { DeleteNamed } from '../components/delete-named.tsx'
import { Dialog } from '../components/dialog.tsx'
import { toast } from '../components/toast.tsx'
import { attempt } from '../components/use-action.ts'
import { emptyPolicy, patchBetween, policyIn } from './policy.ts'

/**
 * Deletes a guardrail. What it said and whom it governed can be brought back; what is spent of a limit cannot, so that
 * one with a limit asks for its name.
 */
export function Remove({ guardrail }: { guardrail: Guardrail }) {
  const { route } = useLocation()
  const [isAsked, ask] = useState(false)
  const { id, name, limit_usd } = guardrail
  const remove = async () => {
    const assigned = await assignedTo(id)
    await call('DELETE /guardrails/{id}', { params: { id } })
    forget('/guardrails')
    route('/guardrails')
    const restore = async () => {
      const back = await bringBack(guardrail, assigned)
      forget('/guardrails')
      route(`/guardrails/${back}`)
      toast(`${name} restored with a new ID`)
    }
    toast(`${name} deleted`, limit_usd === null ? { undo: () => void attempt(restore) } : {})
  }
  return (
    <>
      <button type="button" onClick={() => (limit_usd === null ? void attempt(remove) : ask(true))}>
        Delete
      </button>
      {isAsked && (
        <Dialog title={`Delete ${name}`} onClose={() => ask(false)}>
          <h2>Delete {name}</h2>
          <p>
            Afterwards, only the default guardrail of the workspace applies to its keys and members. The spend of its
            limit is deleted.
          </p>
          <DeleteNamed name={name} verb="delete" act={remove} />
        </Dialog>
      )}
    </>
  )
}

type Assigned = { keys: string[]; members: string[] }

/** Whom it governs, all pages of them. */
async function assignedTo(id: string): Promise<Assigned> {
  const [keys, members] = await Promise.all([
    everyPage((query) => call('GET /guardrails/{id}/assignments/keys', { params: { id }, query })),
    everyPage((query) => call('GET /guardrails/{id}/assignments/members', { params: { id }, query })),
  ])
  return { keys: keys.map(({ key_hash }) => key_hash), members: members.map(({ user_id }) => user_id) }
}

/** @returns the id of the one that says the same and governs the same. */
async function bringBack(guardrail: Guardrail, { keys, members }: Assigned): Promise<string> {
  const { name, workspace_id } = guardrail
  const said = patchBetween(emptyPolicy(''), policyIn(guardrail))
  const { id } = (await call('POST /guardrails', { body: { ...said, name, workspace_id } })).data
  const params = { id }
  if (keys.length > 0) await call('POST /guardrails/{id}/assignments/keys', { params, body: { key_hashes: keys } })
  if (members.length > 0) {
    await call('POST /guardrails/{id}/assignments/members', { params, body: { member_user_ids: members } })
  }
  return id
}
