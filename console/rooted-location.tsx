import { type ComponentChildren, options } from 'preact'
import { LocationProvider, useLocation } from 'preact-iso/router'
import { root, withoutRoot, withRoot } from './api/root.ts'

type Props = { children: ComponentChildren }

/**
 * Lets screens use paths as if the console were at the root of its host. Links get the root path when they are created,
 * and the router's location does not have it.
 */
export const RootedLocation = ({ children }: Props) => (
  <LocationProvider {...(root && { scope: `${root}/` })}>
    <BelowRoot>{children}</BelowRoot>
  </LocationProvider>
)

function BelowRoot({ children }: Props) {
  const { path, url, route, ...rest } = useLocation()
  const below = {
    ...rest,
    path: withoutRoot(path),
    url: withoutRoot(url),
    route: (to: string, replace?: boolean) => route(withRoot(to), replace),
  }
  return <LocationProvider.ctx.Provider value={below}>{children}</LocationProvider.ctx.Provider>
}

/** Adds the root path to each link to a path of this service. */
export function rootLinks(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    const props = vnode.props as { href?: string }
    if (vnode.type === 'a' && /^\/(?!\/)/.test(props.href ?? '') && !props.href!.startsWith(`${root}/`))
      props.href = withRoot(props.href!)
    before?.(vnode)
  }
}
