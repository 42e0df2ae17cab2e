import { Component, type ComponentChildren } from 'preact'
import { asFailure, type Failure } from '../api/failure.ts'
import { FailureState } from './page-states.tsx'

/** A defect of one screen is told there, and leaves the others as they are. */
export class ErrorBoundary extends Component<
  { path: string; children: ComponentChildren },
  { failure?: Failure | undefined }
> {
  override state: { failure?: Failure | undefined } = {}

  override componentDidCatch(error: unknown): void {
    this.setState({ failure: asFailure(error) })
  }

  override componentDidUpdate(before: { path: string }): void {
    if (before.path !== this.props.path && this.state.failure) this.setState({ failure: undefined })
  }

  override render() {
    const { failure } = this.state
    if (failure) return <FailureState failure={failure} retry={() => this.setState({ failure: undefined })} />
    return this.props.children
  }
}
