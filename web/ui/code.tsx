import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { copyText } from './clipboard.ts'

/** Shows code that the user can read and copy. */
export function Code(props: { label: string; head?: ReactNode; text: string; copied?: string }) {
  const { label, head, text, copied = 'Code' } = props
  return (
    <div className="code">
      <div className="head">
        {head ?? <span>{label}</span>}
        <Button small look="quiet" icon="copy" className="push" onClick={() => void copyText(text, copied)}>
          Copy
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would take the text out of its lines. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
