import { render } from 'preact'
import { findSession } from './api/session.ts'
import { App } from './app.tsx'
import './pieces/second-click.ts'
