import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import type { Session } from '../../../client/contract.gen.ts'
import { registerFreshSignInDialog } from '../../api/fresh-sign-in.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { describeDevice } from './device-name.ts'
import { explainPasskeyError, hasPasskeys, signWithPasskey } from './passkey.ts'
import { storeAddress } from './sign-in-address.ts'

/** Asks the user to sign in again whenever a request requires a fresh sign-in. Part of the frame of every page. */
export function FreshSignIn() {
  const [end, setEnd] = useState<((isFresh: boolean) => void) | null>(null)
  useEffect(
    () =>
      registerFreshSignInDialog(
        () =>
          new Promise<boolean>((resolve) => {
            setEnd(() => (isFresh: boolean) => {
              setEnd(null)
              resolve(isFresh)
            })
          }),
      ),
    [],
  )
  return end === null ? null : <FreshSignInDialog onEnd={end} />
}

function FreshSignInDialog({ onEnd }: { onEnd(isFresh: boolean): void }) {
  const { user } = useSession()
  const { pathname, search } = useLocation()
  const [refusal, setRefusal] = useState<string | null>(null)
  const challenge = plumbline.useMutation('post', '/api/admin/sign-in/passkey/challenge', {
    meta: { changesNothing: true },
  })
  const signIn = plumbline.useMutation('post', '/api/admin/sign-in/passkey', { meta: { changesNothing: true } })
  const link = plumbline.useMutation('post', '/api/admin/sign-in/link', {
    meta: { changesNothing: true },
    onSuccess: () => storeAddress(new URLSearchParams({ to: pathname + search })),
  })
  const signInByPasskey = async () => {
    setRefusal(null)
    signIn.reset()
    try {
      const signed = await signWithPasskey(await challenge.mutateAsync({}))
      const session = await signIn.mutateAsync({ body: { ...signed, device: describeDevice(navigator.userAgent) } })
      end(session)
    } catch (error) {
      // Errors of the service are in the mutation.
      setRefusal(explainPasskeyError(error))
    }
  }
  const end = (session: Session) => {
    if (session.user.id === user.id) return onEnd(true)
    // The passkey belongs to another user, who must not see anything on this page.
    onEnd(false)
    location.assign(`${root}/`)
  }
  const delivery = link.data?.delivery
  return (
    <Dialog
      open
      onClose={() => onEnd(false)}
      size="narrow"
      title="Sign in again?"
      tail={
        <>
          <span className="push" />
          <Button onClick={() => onEnd(false)}>Cancel</Button>
          {delivery === undefined ? (
            <Button
              icon="mail"
              look={hasPasskeys ? 'plain' : 'primary'}
              busy={link.isPending}
              onClick={() => link.mutate({ body: { email: user.email } })}
            >
              Send sign-in link
            </Button>
          ) : (
            <Button look="primary" onClick={() => onEnd(true)}>
              Continue
            </Button>
          )}
          {hasPasskeys && delivery === undefined && (
            <Button
              icon="passkey"
              look="primary"
              busy={signIn.isPending || signIn.isSuccess}
              onClick={() => void signInByPasskey()}
            >
              Use passkey
            </Button>
          )}
        </>
      }
    >
      <p>This change requires a sign-in within the last 10 minutes. Then you can continue here.</p>
      {delivery === 'mail' && (
        <p role="status">
          A sign-in link is on its way to {user.email}. Open it in this browser, then return to this page and continue.
        </p>
      )}
      {delivery === 'none' && (
        <p role="status">
          This server sends no email. Ask its operator for a sign-in link (<code>users sign-in-link</code>). Open it in
          this browser, then return to this page and continue.
        </p>
      )}
      {refusal !== null && (
        <p className="banner" data-tone="warn" role="alert">
          <Icon name="info" />
          {refusal}
        </p>
      )}
      <ChangeError error={challenge.error ?? signIn.error ?? link.error} />
    </Dialog>
  )
}
