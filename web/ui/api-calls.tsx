import { useState } from 'react'
import { type PageCall, toCurl, usePageCalls } from '../api/page-calls.ts'
import { Button } from './button.tsx'
import { copyText } from './clipboard.ts'
import { Code } from './code.tsx'
import { Dialog } from './dialog.tsx'
import { formatCount } from './text-formats.ts'
import { useFormats } from './use-formats.ts'

/** Shows the footer of a page: the API call that loaded the page, ready to copy, and a dialog with all other calls. */
export function ApiCalls() {
  const calls = usePageCalls()
  const [isOpen, setIsOpen] = useState(false)
  const { time } = useFormats()
  const [first] = calls
  return (
    <footer className="foot">
      {first !== undefined && (
        <>
          <span className="method">{first.method}</span>
          <code title={first.target}>{first.target}</code>
          <span className="extra nowrap push">
            {first.at !== null && `As of ${time(new Date(first.at).toISOString())}`}
          </span>
          {first.isForKeys && (
            <Button
              small
              look="quiet"
              icon="copy"
              className="extra"
              onClick={() => void copyText(toCurl(first), 'Call')}
            >
              Copy as curl
            </Button>
          )}
          <Button small look="quiet" icon="json" onClick={() => setIsOpen(true)}>
            View as API call
          </Button>
          <Dialog
            open={isOpen}
            onClose={() => setIsOpen(false)}
            title="This page as API calls"
            note={`${formatCount(calls.length, 'call')} loaded this page. The app uses only the public API.`}
            size="wide"
          >
            {calls.map((call) => (
              <ApiCallDetails key={`${call.method} ${call.target}`} call={call} />
            ))}
          </Dialog>
        </>
      )}
    </footer>
  )
}

/** The maximum length of a displayed response, in characters. The response is only an example of the format. */
const MAX_RESPONSE_CHARACTERS = 4000

function ApiCallDetails({ call }: { call: PageCall }) {
  const answer = call.answer === undefined ? '' : JSON.stringify(call.answer, null, 2)
  const title = `${call.method} ${call.target}`
  return (
    <section className="stack">
      <h3 className="row">
        <span className="method">{call.method}</span> <code className="clip">{call.target}</code>
      </h3>
      {call.isForKeys ? (
        <Code label={`curl for ${title}`} head={<span>curl</span>} text={toCurl(call)} copied="Call" />
      ) : (
        <p className="small muted">Only for signed-in users. API keys cannot call this.</p>
      )}
      {answer !== '' && (
        <Code
          label={`Response to ${title}`}
          head={<span>Response</span>}
          text={answer.length > MAX_RESPONSE_CHARACTERS ? `${answer.slice(0, MAX_RESPONSE_CHARACTERS)}\n…` : answer}
          copied="Response"
        />
      )}
    </section>
  )
}
