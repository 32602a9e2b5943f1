import { useState } from 'react'
import type { PasskeyChallenge } from '../../../client/contract.gen.ts'
import { isProblem } from '../../../client/problem.ts'
import { describeDevice } from '../../admin/sign-in/device-name.ts'
import { explainPasskeyError, hasPasskeys, signWithPasskey } from '../../admin/sign-in/passkey.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { syncField } from '../day/field-store.ts'
import { root } from '../day/root.ts'

/** Lets the user sign in again without leaving the page, so that no unsent entry is lost. */
export function SignInPanel({ email, waiting }: { email: string | null; waiting: number }) {
  const [address, setAddress] = useState(email ?? '')
  const [link, setLink] = useState('')
  const [isLinkSent, setLinkSent] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setRefusal(null)
    try {
      await work()
    } catch (error) {
      setRefusal(explainPasskeyError(error) ?? (isProblem(error) ? (error.detail ?? error.title) : NO_RESPONSE))
    } finally {
      setBusy(false)
    }
  }
  const usePasskey = () =>
    attempt(async () => {
      const challenge = (await post('/api/admin/sign-in/passkey/challenge', {})) as PasskeyChallenge
      const signed = await signWithPasskey(challenge)
      await post('/api/admin/sign-in/passkey', { ...signed, device: describeDevice(navigator.userAgent) })
      await syncField(true)
    })
  const requestLink = () =>
    attempt(async () => {
      await post('/api/admin/sign-in/link', { email: address })
      setLinkSent(true)
    })
  const useLink = () =>
    attempt(async () => {
      const token = new URLSearchParams(link.trim().split('#')[1] ?? '').get('token')
      if (token === null) return setRefusal('This is not a sign-in link. Copy the whole link from the email.')
      await post('/api/admin/sign-in', { token, device: describeDevice(navigator.userAgent) })
      await syncField(true)
    })
  return (
    <section className="signin" aria-label="Sign in">
      <h2>Sign in to send and update</h2>
      <p>
        {email !== null && 'Your session has ended. '}
        {waiting > 0 && `${formatCount(waiting, 'entry is', 'entries are')} stored until you sign in.`}
      </p>
      {refusal !== null && <p role="alert">{refusal}</p>}
      {hasPasskeys && (
        <Button look="primary" icon="passkey" busy={isBusy} onClick={() => void usePasskey()}>
          Use passkey
        </Button>
      )}
      {!isLinkSent ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void requestLink()
          }}
        >
          <div className="field">
            <label htmlFor="email">Email</label>
            <input
              id="email"
              className="input"
              type="email"
              autoComplete="email"
              required
              value={address}
              onChange={({ currentTarget: { value } }) => setAddress(value)}
            />
          </div>
          <Button type="submit" icon="mail" busy={isBusy}>
            Send sign-in link
          </Button>
        </form>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void useLink()
          }}
        >
          <p role="status">Copy the link from the email, and paste it here. It works once, for 15 minutes.</p>
          <div className="field">
            <label htmlFor="link">Sign-in link</label>
            <input
              id="link"
              className="input"
              type="url"
              required
              value={link}
              onChange={({ currentTarget: { value } }) => setLink(value)}
            />
          </div>
          <Button type="submit" look="primary" busy={isBusy}>
            Sign in
          </Button>
        </form>
      )}
    </section>
  )
}

const NO_RESPONSE = 'The server did not respond. Check your connection, then try again.'

/** Sends a request. Throws the problem if the request is rejected. */
async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`${root}${path}`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
  })
  const content: unknown = await response.json().catch(() => null)
  if (!response.ok) throw content
  return content
}
