import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

/** Signs a JWT as NATS does: the signature is that of an nkey. */
function sign(issuer: KeyPair, subject: KeyPair, nats: Readonly<Record<string, unknown>>): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iat: 1_760_000_000, iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name: 'test' }
  const head = encode({ typ: 'JWT', alg: 'ed25519-nkey' })
  const text = `${head}.${encode({ jti: subject.getPublicKey(), ...claims, nats: { ...nats, version: 2 } })}`
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`
}

/** Returns the configuration of a broker with accounts, and the credentials file of a user. */
export function natsCredentials(): { readonly config: string; readonly creds: string } {
  const [operator, account, system] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const user = nkeys.createUser()
  const unlimited = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    conn: -1,
    leaf: -1,
    wildcards: true,
  }
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const accountJwt = sign(operator, account, { type: 'account', limits: { ...unlimited, ...storage } })
  const systemJwt = sign(operator, system, { type: 'account', limits: unlimited })
  const userJwt = sign(account, user, { type: 'user', subs: -1, data: -1, payload: -1, pub: {}, sub: {} })
  return {
    config: `operator: "${sign(operator, operator, { type: 'operator' })}"
system_account: "${system.getPublicKey()}"
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: "${accountJwt}"
  ${system.getPublicKey()}: "${systemJwt}"
}`,
    creds: `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------
`,
  }
}

/** A self-signed certificate for localhost, made for these tests and of no other use. The client of NATS does not check addresses. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUOKfjdc7itDZA/TMhfbAnIJbHSnUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE1MjcwNVoYDzIxMjYxMTAy
MTUyNzA1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARQzfwI6V/SlT0iUjbXzp1OOkLnrbG118Pm6vSPQfaSoGGUMFJhxWTk
/bqmdOPZwB0IlOaNCTRvKPozWkmzrjHmo2kwZzAdBgNVHQ4EFgQUxCRNm/LVFpoP
JKgWcxtSw1vuC8swHwYDVR0jBBgwFoAUxCRNm/LVFpoPJKgWcxtSw1vuC8swDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgX1zkuPlT6JvhSCJ4yWTb2ersQPyAH21kDh60xSMYDdECIQCg3Z84jDl0
yBzjaLwUtrST4XYmfU/oH+8zW8FHC0eitA==
-----END CERTIFICATE-----
`

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgD/5KeRvjwtvnBbPP
zQPTXRgPxS4wGMwHistbRWAI7gehRANCAARQzfwI6V/SlT0iUjbXzp1OOkLnrbG1
18Pm6vSPQfaSoGGUMFJhxWTk/bqmdOPZwB0IlOaNCTRvKPozWkmzrjHm
-----END PRIVATE KEY-----
`
