import { createHash } from 'node:crypto'
import { STYLE as PORTAL } from '../portal/pages/portal-style.ts'

/** The stylesheet of the pages without scripts, followed by the rules for the consent page. */
export const STYLE = `${PORTAL}
form{display:grid;gap:16px}
.brief th,th.r{overflow-wrap:normal;white-space:nowrap}.brief th{font-weight:600;padding-right:0}`

/** The hash of the stylesheet for the Content-Security-Policy, so that no other stylesheet applies. */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`
