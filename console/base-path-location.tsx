import { type ComponentChildren, options } from 'preact'
import { LocationProvider, useLocation } from 'preact-iso/router'
import { root } from './api/address/root.ts'
import { withoutPrefixes, withPrefixes } from './api/address/workspace-path.ts'

type Props = { children: ComponentChildren }

/**
 * Lets screens use paths as if the console were at the root of its host. Links get the prefixes of the service and of the
 * workspace when they are created, and the router's location does not have them.
 */
export const BasePathLocation = ({ children }: Props) => (
  <LocationProvider scope={withPrefixes('/')}>
    <WithoutPrefixes>{children}</WithoutPrefixes>
  </LocationProvider>
)

function WithoutPrefixes({ children }: Props) {
  const { path, url, route, ...rest } = useLocation()
  const location = {
    ...rest,
    path: withoutPrefixes(path),
    url: withoutPrefixes(url),
    route: (to: string, replace?: boolean) => route(withPrefixes(to), replace),
  }
  return <LocationProvider.ctx.Provider value={location}>{children}</LocationProvider.ctx.Provider>
}

/** Adds the prefixes to each link to a screen. */
export function prefixLinks(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    const props = vnode.props as { href?: string }
    if (vnode.type === 'a' && isScreenPath(props.href)) props.href = withPrefixes(props.href!)
    before?.(vnode)
  }
}

/** Whether a link names a screen, and does not have the prefixes yet. */
const isScreenPath = (href = '') => /^\/(?!\/|api\/|w\/)/.test(href) && !(root && href.startsWith(`${root}/`))
