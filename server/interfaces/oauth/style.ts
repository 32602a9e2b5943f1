import { createHash } from 'node:crypto'
import { STYLE as PORTAL } from '../portal/pages/style.ts'

/** The stylesheet of pages without a script, with what only this page has. */
export const STYLE = `${PORTAL}
form{display:grid;gap:16px}
.brief th,th.r{overflow-wrap:normal;white-space:nowrap}.brief th{font-weight:600;padding-right:0}`

/** Names the stylesheet in the Content-Security-Policy, so that no other one applies. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
