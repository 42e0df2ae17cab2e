import { Component, type ComponentChildren } from 'preact'
import { asFailure, type Failure } from '../../api/failure.ts'
import { FailureState } from './page-states.tsx'

/** Displays an error of a screen in its place. Opening another path resets it. */
export class ErrorBoundary extends Component<
  { path: string; children: ComponentChildren },
  { failure?: Failure | undefined }
> {
  override state: { failure?: Failure | undefined } = {}

  override componentDidCatch(error: unknown): void {
    this.setState({ failure: asFailure(error) })
  }

  override componentDidUpdate(previousProps: { path: string }): void {
    if (previousProps.path !== this.props.path && this.state.failure) this.setState({ failure: undefined })
  }

  override render() {
    const { failure } = this.state
    if (failure) return <FailureState failure={failure} onRetry={() => this.setState({ failure: undefined })} />
    return this.props.children
  }
}
