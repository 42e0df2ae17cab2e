import { useEffect } from 'preact/hooks'
import { reloadWhenServed } from '../../api/connection/reload-page.ts'
import { EmptyState } from './page-states.tsx'

/**
 * Says that a script could not be loaded, because the service restarts or was upgraded. A browser does not load a failed module
 * again, so the page reloads when the service responds.
 * @param what the screen or component of the script, with which the title starts.
 */
export function NotLoaded({ what }: { what: string }) {
  useEffect(() => reloadWhenServed(), [])
  return (
    <EmptyState title={`${what} could not be loaded`}>
      <p>The service is unreachable, or its version has changed. The page reloads when the service responds.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </EmptyState>
  )
}
