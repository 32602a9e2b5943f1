import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { describeDevice } from './device-name.ts'
import { explainPasskeyError, hasPasskeys, signWithPasskey } from './passkey.ts'
import { chooseReturnUrl } from './sign-in-url.ts'

/**
 * Signs in with a passkey. The device asks for a fingerprint, a face, or a PIN, so the user types nothing on the page.
 */
export function PasskeySignInButton() {
  const [params] = useSearchParams()
  const [refusal, setRefusal] = useState<string | null>(null)
  const challenge = plumbline.useMutation('post', '/api/admin/sign-in/passkey/challenge', {
    meta: { changesNothing: true },
  })
  const signIn = plumbline.useMutation('post', '/api/admin/sign-in/passkey', {
    meta: { changesNothing: true },
    onSuccess: () => location.replace(chooseReturnUrl(params)),
  })
  const begin = async () => {
    setRefusal(null)
    try {
      const signed = await signWithPasskey(await challenge.mutateAsync({}))
      await signIn.mutateAsync({ body: { ...signed, device: describeDevice(navigator.userAgent) } })
    } catch (error) {
      // The mutation contains the errors from the service.
      setRefusal(explainPasskeyError(error))
    }
  }
  if (!hasPasskeys) return null
  return (
    <>
      <ChangeError error={challenge.error ?? signIn.error} />
      {refusal !== null && (
        <p className="banner" data-tone="warn" role="alert">
          <Icon name="info" />
          {refusal}
        </p>
      )}
      <Button
        icon="passkey"
        className="wide"
        busy={signIn.isPending || signIn.isSuccess}
        onClick={() => {
          signIn.reset()
          void begin()
        }}
      >
        Sign in with passkey
      </Button>
    </>
  )
}
