import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NotLoaded } from './not-loaded.tsx'
import { Loading } from './page-states.tsx'

/**
 * A component whose script is loaded when the component is rendered, or by `preload`. Browsers do not load a failed module again, so
 * a failure stays until the page is reloaded.
 * @param name shown in the error message if the script fails to load.
 */
export function lazyComponent<Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  let loading: Promise<ComponentType<Props>> | undefined
  const preload = () => {
    loading ??= load()
      .catch(() => () => <NotLoaded what={name} />)
      .then((component) => {
        loaded = component
        return component
      })
    return loading
  }
  function LazyComponent(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded)
    useEffect(() => {
      if (!Loaded) void preload().then((component) => setLoaded(() => component))
    }, [Loaded])
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
  return { LazyComponent, preload }
}
