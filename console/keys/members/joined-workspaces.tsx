import { currentSession, isManagerRole } from '../../api/session.ts'
import type { Member, WorkspaceMember } from '../../api/types.ts'
import { workspaceRoles } from '../permissions.ts'

/** The workspaces that a new member joins, with the role in each. */
export type JoinedWorkspaces = Record<string, WorkspaceMember['access']>

type Props = {
  /** The role in the organization. Owners and admins have access to all workspaces. */
  role: Member['access']
  workspaces: JoinedWorkspaces
  onChange: (workspaces: JoinedWorkspaces) => void
}

/** Checkboxes for workspaces, and selects for the role in each. */
export function JoinedWorkspacesField({ role, workspaces: joined, onChange }: Props) {
  const workspaces = currentSession()?.workspaces ?? []
  if (isManagerRole(role))
    return <p class="dim">Owners and admins of the organization have access to all workspaces.</p>
  return (
    <fieldset class="joined">
      <legend>Workspaces</legend>
      {workspaces.map(({ id, name }) => (
        <div key={id}>
          <label class="check">
            <input
              type="checkbox"
              checked={id in joined}
              onChange={(event) => {
                const { [id]: _, ...others } = joined
                onChange(event.currentTarget.checked ? { ...joined, [id]: defaultRoleOf(role) } : others)
              }}
            />
            {name}
          </label>
          {id in joined && (
            <select
              aria-label={`Role in ${name}`}
              value={joined[id]}
              onChange={(event) =>
                onChange({ ...joined, [id]: event.currentTarget.value as WorkspaceMember['access'] })
              }
            >
              {workspaceRoles.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          )}
        </div>
      ))}
    </fieldset>
  )
}

/** The role in a workspace that corresponds to a role in the organization. */
export const defaultRoleOf = (role: Member['access']) => (role === 'viewer' ? 'viewer' : 'developer')
