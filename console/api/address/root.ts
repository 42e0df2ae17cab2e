import { pageSettings } from './page-settings.ts'

/** The path prefix of the service, such as `/llm`; empty by default. The page contains it. */
export const root: string = pageSettings.root ?? ''

/** Adds the prefix of the service to a path. */
export const withRoot = (path: string): string => root + path

/** Removes the prefix of the service from a path. */
export const withoutRoot = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path) || '/'
