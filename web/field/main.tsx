import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startField } from './day/field-store.ts'
import { FieldApp } from './field-app.tsx'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/controls.css'
import './field.css'

createRoot(document.getElementById('root') ?? document.body).render(
  <StrictMode>
    <FieldApp />
  </StrictMode>,
)
void startField()
// If there is no service worker, for example in a private window, the page works only with a connection.
void navigator.serviceWorker?.register('./service-worker.js').catch(() => {})
