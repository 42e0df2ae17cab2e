import { root, withoutRoot, withRoot } from './root.ts'

const workspacePrefix = /^\/w\/([\w-]+)(?=\/|$)/

/** The name of the workspace in the address `/w/<name>/…`; undefined for all workspaces. */
let workspaceName = workspaceNameIn(globalThis.location?.pathname ?? '')

function workspaceNameIn(path: string): string | undefined {
  return workspacePrefix.exec(withoutRoot(path))?.[1]
}

/** The slug or ID of the workspace that the page shows; undefined if it shows all. Only another page changes it. */
export const workspaceInAddress = (): string | undefined => workspaceName

/** The header that names the workspace, for requests to the API. */
export const workspaceHeader = (): Record<string, string> =>
  workspaceName === undefined ? {} : { 'x-workspace': workspaceName }

/** The query parameter that names the workspace, where no header can be sent. */
export const workspaceParameter = (): Record<string, string> =>
  workspaceName === undefined ? {} : { workspace_id: workspaceName }

/** Sets the workspace from the path of another page. */
export const setWorkspaceOfPage = (path: string): void => {
  workspaceName = workspaceNameIn(path)
}

/** Puts the workspace into the address of the page, which already shows its data. */
export function putWorkspaceInAddress(slug: string): void {
  const { pathname, search, hash } = location
  workspaceName = slug
  globalThis.history?.replaceState(history.state, '', withScreenRoot(withoutRoot(pathname)) + search + hash)
}

/** Adds the prefixes of the service and of the workspace to the path of a screen. */
export const withScreenRoot = (path: string): string =>
  workspaceName === undefined ? withRoot(path) : withRoot(`/w/${workspaceName}${path}`)

/** Removes the prefixes of the service and of the workspace from a path. */
export const withoutScreenRoot = (path: string): string => withoutRoot(path).replace(workspacePrefix, '') || '/'

/** The address of a screen in another workspace, or in all for undefined. The browser loads it as a new page. */
export const addressInWorkspace = (slug: string | undefined, path: string): string =>
  location.origin + root + (slug === undefined ? '' : `/w/${slug}`) + path
