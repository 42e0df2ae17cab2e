import { useState } from 'preact/hooks'
import { addressInWorkspace, workspaceInAddress } from './api/address/workspace-path.ts'
import type { Failure } from './api/failure.ts'
import { hasAllWorkspaces } from './api/session.ts'
import type { Session } from './api/types.ts'
import { Heading } from './components/page/heading.tsx'
import { SignIn } from './sign-in.tsx'

/** The page of a workspace that does not exist or that the member has no access to. */
export function WorkspaceMissing({ session, path }: { session: Session; path: string }) {
  return (
    <div class="state">
      <Heading>Workspace not available</Heading>
      <p>
        The workspace <b>{workspaceInAddress()}</b> does not exist, or you are not a member of it. An owner or admin of
        the organization can add you.
      </p>
      <p>Your workspaces:</p>
      <ul class="workspace-links">
        {hasAllWorkspaces(session) && (
          <li>
            <a href={addressInWorkspace(undefined, path)}>All workspaces</a>
          </li>
        )}
        {session.workspaces.map(({ id, name, slug }) => (
          <li key={id}>
            <a href={addressInWorkspace(slug, '/')}>{name}</a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The page of a member who belongs to no workspace. The failure names the people to ask. */
export function NoWorkspace({ failure }: { failure: Failure }) {
  const [isSigningIn, setSigningIn] = useState(false)
  if (isSigningIn) return <SignIn failure={undefined} />
  return (
    <main class="state no-workspace">
      <h1>No workspace yet</h1>
      <p>{failure.message}</p>
      <div class="actions">
        <button type="button" class="main" onClick={() => location.reload()}>
          Check again
        </button>
        <button type="button" onClick={() => setSigningIn(true)}>
          Sign in with another key
        </button>
      </div>
    </main>
  )
}
