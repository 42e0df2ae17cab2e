import { useRef } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useAllRows } from '../api/pages.ts'
import { invalidate, useGet } from '../api/resource.ts'
import { SearchAndAdd } from '../components/filters/search-and-add.tsx'
import { runOrToast } from '../components/form/use-action.ts'
import { toast } from '../components/page/toast.tsx'
import { memberName } from '../components/text/member-name.ts'
import { useDebounced } from '../components/window/use-debounced.ts'

type Assignee = { kind: 'key' | 'member'; id: string; name: string }
/**
 * `workspaceId`: the workspace whose keys it can be assigned to; undefined while loading. `defaultOf`: the name of the
 * workspace whose default it is.
 */
type AssignmentsProps = {
  guardrailId: string
  workspaceId: string | undefined
  defaultOf: string | undefined
  canChange: boolean
}

/** The keys and members that the guardrail is assigned to, or the workspace whose default it is. */
export function Assignments({ guardrailId, workspaceId, defaultOf, canChange }: AssignmentsProps) {
  const input = { params: { id: guardrailId } }
  const keys = useAllRows('GET /guardrails/{id}/assignments/keys', input)
  const members = useAllRows('GET /guardrails/{id}/assignments/members', input)
  const allMembers = useAllRows('GET /organization/members', members.data?.length ? {} : undefined).data ?? []
  const nameOf = (userId: string) => {
    const member = allMembers.find(({ id }) => id === userId)
    return member ? memberName(member) : userId
  }
  const assignees: Assignee[] = [
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
      {keys.data && members.data && assignees.length === 0 && defaultOf === undefined && (
        <p class="dim">Not assigned yet. It applies to the keys and members that it is assigned to.</p>
      )}
      <ul class="guardrail-targets">
        {assignees.map((assignee) => (
          <li key={assignee.kind + assignee.id}>
            <span>
              <span class="dim">{assignee.kind}</span> {assignee.name}
            </span>
            {canChange && (
              <button
                type="button"
                class="bare"
                aria-label={`Remove from ${assignee.name}`}
                onClick={() => void removeAssignment(guardrailId, assignee, reload)}
              >
                ✕
              </button>
            )}
          </li>
        ))}
      </ul>
      {canChange && (
        <Assign guardrailId={guardrailId} workspaceId={workspaceId} assignees={assignees} onReload={reload} />
      )}
    </section>
  )
}

const addAssignment = (guardrailId: string, { kind, id: assigneeId }: Assignee) =>
  kind === 'key'
    ? call('POST /guardrails/{id}/assignments/keys', {
        params: { id: guardrailId },
        body: { key_hashes: [assigneeId] },
      })
    : call('POST /guardrails/{id}/assignments/members', {
        params: { id: guardrailId },
        body: { member_user_ids: [assigneeId] },
      })

const deleteAssignment = (guardrailId: string, { kind, id: assigneeId }: Assignee) =>
  kind === 'key'
    ? call('POST /guardrails/{id}/assignments/keys/remove', {
        params: { id: guardrailId },
        body: { key_hashes: [assigneeId] },
      })
    : call('POST /guardrails/{id}/assignments/members/remove', {
        params: { id: guardrailId },
        body: { member_user_ids: [assigneeId] },
      })

async function runAndReload(
  request: Promise<unknown>,
  reload: () => void,
  message: string,
  undo?: () => void,
): Promise<void> {
  await runOrToast(async () => {
    await request
    toast(message, undo && { undo })
  })
  reload()
}

function removeAssignment(guardrailId: string, assignee: Assignee, reload: () => void): Promise<void> {
  const undo = () =>
    void runAndReload(addAssignment(guardrailId, assignee), reload, `Assigned to ${assignee.name} again`)
  return runAndReload(deleteAssignment(guardrailId, assignee), reload, `No longer assigned to ${assignee.name}`, undo)
}

type AssignProps = Pick<AssignmentsProps, 'guardrailId' | 'workspaceId'> & {
  assignees: Assignee[]
  onReload: () => void
}

const maxFound = 8

/** A search field that assigns the guardrail to a key or member that is found by its name. */
function Assign({ guardrailId, workspaceId, assignees, onReload }: AssignProps) {
  const results = useRef<Assignee[]>([])
  return (
    <div class="picker guardrail-assign">
      <SearchAndAdd
        label="Assign to a key or member"
        placeholder="Name of a key or member"
        resultsLabel="Matching keys and members"
        noResults="No other key or member has this name."
        useSearch={(searchText) => {
          const all = useAssignees(searchText, workspaceId)
          results.current = all?.filter((one) => !assignees.some((assignee) => assignee.id === one.id)) ?? []
          return all && results.current.map(({ kind, id, name }) => ({ id, label: `${kind} ${name}` }))
        }}
        onAdd={({ id: assigneeId }) => {
          const assignee = results.current.find((one) => one.id === assigneeId)!
          void runAndReload(addAssignment(guardrailId, assignee), onReload, `Assigned to ${assignee.name}`)
        }}
      />
    </div>
  )
}

/** The keys of the workspace and the members whose name has the words; undefined while they are loaded. */
function useAssignees(searchText: string, workspaceId: string | undefined): Assignee[] | undefined {
  const q = useDebounced(searchText)
  const isEnabled = q !== '' && workspaceId !== undefined
  const query = { q, limit: maxFound }
  const keys = useGet(
    'GET /keys',
    isEnabled ? { query: { ...query, workspace_id: workspaceId, include_disabled: 'true' } } : undefined,
  )
  const members = useGet('GET /organization/members', isEnabled ? { query } : undefined)
  if (q !== searchText || !keys.data || !members.data || !keys.isCurrent || !members.isCurrent) return undefined
  return [
    ...keys.data.data.map(({ hash, name, disabled }) => ({
      kind: 'key' as const,
      id: hash,
      name: disabled ? `${name} (disabled)` : name,
    })),
    ...members.data.data.map((member) => ({ kind: 'member' as const, id: member.id, name: memberName(member) })),
  ]
}
