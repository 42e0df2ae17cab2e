import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { useAllRows } from '../api/pages.ts'
import { invalidate } from '../api/resource.ts'
import { toast } from '../components/toast.tsx'

type Target = { kind: 'key' | 'member'; id: string; name: string }
/**
 * `workspaceId`: the workspace whose keys it can be assigned to; undefined while loading. `defaultOf`: the name of the
 * workspace whose default it is.
 */
type AssignmentsProps = {
  id: string
  workspaceId: string | undefined
  defaultOf: string | undefined
  canChange: boolean
}

/** The keys and members that the guardrail is assigned to, or the workspace whose default it is. */
export function Assignments({ id, workspaceId, defaultOf, canChange }: AssignmentsProps) {
  const page = { params: { id } }
  const keys = useAllRows('GET /guardrails/{id}/assignments/keys', page)
  const members = useAllRows('GET /guardrails/{id}/assignments/members', page)
  const everybody = useAllRows('GET /organization/members', {}).data ?? []
  const people = everybody.map(({ id: user, email, first_name, last_name }) => ({
    id: user,
    name: [first_name, last_name].filter(Boolean).join(' ') || email,
  }))
  const nameOf = (user: string) => people.find((one) => one.id === user)?.name ?? user
  const targets: Target[] = [
    ...(keys.data ?? []).map(({ key_hash, key_name }) => ({
      kind: 'key' as const,
      id: key_hash,
      name: key_name,
    })),
    ...(members.data ?? []).map(({ user_id }) => ({
      kind: 'member' as const,
      id: user_id,
      name: nameOf(user_id),
    })),
  ]
  const reload = () => {
    invalidate('/assignments')
    keys.reload()
    members.reload()
  }
  return (
    <section aria-label="Assignments">
      <h2>Assignments</h2>
      {defaultOf !== undefined && <p>Applies to the whole workspace {defaultOf} as its default guardrail.</p>}
      {keys.data && members.data && targets.length === 0 && defaultOf === undefined && (
        <p class="dim">Not assigned yet. It applies to the keys and members that it is assigned to.</p>
      )}
      <ul class="guardrail-targets">
        {targets.map((target) => (
          <li key={target.kind + target.id}>
            <span>
              <span class="dim">{target.kind}</span> {target.name}
            </span>
            {canChange && (
              <button
                type="button"
                class="bare"
                aria-label={`Remove from ${target.name}`}
                onClick={() => void removeAssignment(id, target, reload)}
              >
                ✕
              </button>
            )}
          </li>
        ))}
      </ul>
      {canChange && <Assign id={id} workspaceId={workspaceId} targets={targets} people={people} reload={reload} />}
    </section>
  )
}

const addAssignment = (id: string, { kind, id: target }: Target) =>
  kind === 'key'
    ? call('POST /guardrails/{id}/assignments/keys', { params: { id }, body: { key_hashes: [target] } })
    : call('POST /guardrails/{id}/assignments/members', { params: { id }, body: { member_user_ids: [target] } })

const remove = (id: string, { kind, id: target }: Target) =>
  kind === 'key'
    ? call('POST /guardrails/{id}/assignments/keys/remove', { params: { id }, body: { key_hashes: [target] } })
    : call('POST /guardrails/{id}/assignments/members/remove', { params: { id }, body: { member_user_ids: [target] } })

async function runAndReload(
  work: Promise<unknown>,
  reload: () => void,
  message: string,
  undo?: () => void,
): Promise<void> {
  try {
    await work
    toast(message, undo && { undo })
  } catch (error) {
    toast(asFailure(error).message, { isBad: true })
  }
  reload()
}

function removeAssignment(id: string, target: Target, reload: () => void): Promise<void> {
  const undo = () => void runAndReload(addAssignment(id, target), reload, `Assigned to ${target.name} again`)
  return runAndReload(remove(id, target), reload, `No longer assigned to ${target.name}`, undo)
}

type AssignProps = Pick<AssignmentsProps, 'id' | 'workspaceId'> & {
  targets: Target[]
  people: { id: string; name: string }[]
  reload: () => void
}

function Assign({ id, workspaceId, targets, people, reload }: AssignProps) {
  const query = { workspace_id: workspaceId, include_disabled: 'true' }
  const keys = useAllRows('GET /keys', workspaceId === undefined ? undefined : { query }).data ?? []
  const free = [
    ...keys.map(({ hash, name, disabled }) => ({
      kind: 'key' as const,
      id: hash,
      name: disabled ? `${name} (disabled)` : name,
    })),
    ...people.map((one) => ({ kind: 'member' as const, id: one.id, name: one.name })),
  ].filter((one) => !targets.some((target) => target.id === one.id))
  const assign = (target: Target) => runAndReload(addAssignment(id, target), reload, `Assigned to ${target.name}`)
  return (
    <select
      aria-label="Assign to"
      value=""
      onChange={(event) => {
        const target = free.find((one) => one.id === event.currentTarget.value)
        event.currentTarget.value = ''
        if (target) void assign(target)
      }}
    >
      <option value="">Assign to …</option>
      {free.map((one) => (
        <option key={one.kind + one.id} value={one.id}>
          {one.kind} {one.name}
        </option>
      ))}
    </select>
  )
}
