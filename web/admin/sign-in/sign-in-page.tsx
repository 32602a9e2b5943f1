import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Form, readTextField, TextField } from '../../ui/form.tsx'
import { Icon, LogoMark } from '../../ui/icon.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { describeDevice } from './device-name.ts'
import { ElevationDrawing } from './elevation-drawing.tsx'
import { PasskeySignInButton } from './passkey-sign-in.tsx'
import { chooseReturnUrl, storeReturnUrl } from './sign-in-url.ts'

/**
 * Shows the sign-in page. The user enters an email address to get a link. A user who opened such a link gets a button
 * that signs in. The button is needed because programs that scan emails open every link but press no buttons.
 */
export function Component() {
  const { hash } = useLocation()
  const token = new URLSearchParams(hash.slice(1)).get('token')
  return (
    <div className="door">
      <title>Sign in · Plumbline</title>
      <main>
        <div className="card">
          <div className="row">
            <LogoMark />
            <span className="wordmark">Plumbline</span>
          </div>
          {token === null ? <RequestSignInLink /> : <UseSignInLink token={token} />}
          <p className="small faint">
            Subcontractors do not need an account: open the link in the builder’s message. After the first start of a
            server, its output shows the first sign-in link.
          </p>
        </div>
      </main>
      <ElevationDrawing />
    </div>
  )
}

function UseSignInLink({ token }: { token: string }) {
  const [params] = useSearchParams()
  const [isOver, setIsOver] = useState(false)
  const signIn = plumbline.useMutation('post', '/api/admin/sign-in', {
    meta: { changesNothing: true },
    // Reloads the document, because no previously loaded data belongs to this session.
    onSuccess: () => location.replace(chooseReturnUrl(params)),
  })
  if (isOver) return <RequestSignInLink />
  return (
    <>
      <div>
        <h1>Welcome</h1>
        <p className="muted">This link signs you in, once, on this device.</p>
      </div>
      <ChangeError error={signIn.error} />
      {signIn.error === null ? (
        <Button
          look="primary"
          className="wide"
          busy={signIn.isPending || signIn.isSuccess}
          onClick={() => signIn.mutate({ body: { token, device: describeDevice(navigator.userAgent) } })}
        >
          Sign in
        </Button>
      ) : (
        <Button className="wide" onClick={() => setIsOver(true)}>
          Send another link
        </Button>
      )}
    </>
  )
}

function RequestSignInLink() {
  const [params] = useSearchParams()
  const ask = plumbline.useMutation('post', '/api/admin/sign-in/link', {
    meta: { changesNothing: true },
    onSuccess: () => storeReturnUrl(params),
  })
  const onSubmit = (data: FormData) => ask.mutate({ body: { email: readTextField(data, 'email') ?? '' } })
  if (ask.data !== undefined) {
    return (
      <div role="status" className="stack">
        <h1>{ask.data.delivery === 'mail' ? 'Check your email' : 'This server sends no email'}</h1>
        <p className="muted">
          {ask.data.delivery === 'mail'
            ? 'If a user with this email exists, a sign-in link was sent. It works once and expires in 15 minutes.'
            : 'Ask the operator of this server for a sign-in link.'}
        </p>
        <Button className="wide" onClick={() => ask.reset()}>
          Use another email
        </Button>
      </div>
    )
  }
  return (
    <>
      <div>
        <h1>Sign in</h1>
        <p className="muted">We email you a sign-in link. You need no password.</p>
      </div>
      <Form draft={null} error={ask.error} onSubmit={onSubmit}>
        <TextField
          name="email"
          type="email"
          label="Email"
          placeholder="you@builder.example.com"
          autoComplete="email"
          hint="The link works once and expires in 15 minutes."
        />
        <Button look="primary" type="submit" className="wide" busy={ask.isPending}>
          <Icon name="mail" />
          Send sign-in link
        </Button>
      </Form>
      <PasskeySignInButton />
    </>
  )
}
