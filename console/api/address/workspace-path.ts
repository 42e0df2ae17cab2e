import { root, withoutRoot, withRoot } from './root.ts'

const workspacePrefix = /^\/w\/([\w-]+)(?=\/|$)/

/** The workspace in the address `/w/<slug or ID>/…`; undefined for all workspaces. */
let slugOrId = slugOrIdIn(globalThis.location?.pathname ?? '')

function slugOrIdIn(path: string): string | undefined {
  return workspacePrefix.exec(withoutRoot(path))?.[1]
}

/** The slug or ID of the workspace that the page shows; undefined if it shows all. */
export const workspaceInAddress = (): string | undefined => slugOrId

/** The header that names the workspace, for requests to the API. */
export const workspaceHeader = (): Record<string, string> => (slugOrId === undefined ? {} : { 'x-workspace': slugOrId })

/** The query parameter that names the workspace, where no header can be sent. */
export const workspaceParameter = (): Record<string, string> =>
  slugOrId === undefined ? {} : { workspace_id: slugOrId }

/** Sets the workspace from the path of the page that the service renders next. */
export const setWorkspaceOfPage = (path: string): void => {
  slugOrId = slugOrIdIn(path)
}

/** Puts the workspace into the address of the page, which already shows its data. */
export function putWorkspaceInAddress(slug: string): void {
  const { pathname, search, hash } = location
  slugOrId = slug
  // The service, which also calls this, has no history.
  globalThis.history?.replaceState(history.state, '', withPrefixes(withoutRoot(pathname)) + search + hash)
}

/** Adds the prefixes of the service and of the workspace to the path of a screen. */
export const withPrefixes = (path: string): string =>
  slugOrId === undefined ? withRoot(path) : withRoot(`/w/${slugOrId}${path}`)

/** Removes the prefixes of the service and of the workspace from a path. */
export const withoutPrefixes = (path: string): string => withoutRoot(path).replace(workspacePrefix, '') || '/'

/** The address of a screen in another workspace, or in all for undefined. The browser loads it as a new page. */
export const addressInWorkspace = (slug: string | undefined, path: string): string =>
  location.origin + root + (slug === undefined ? '' : `/w/${slug}`) + path
