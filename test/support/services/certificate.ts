import { generateKeyPairSync, sign } from "node:crypto";

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];

/** Creates a key and a self-signed certificate (X.509 v1, RFC 5280), so that no private key is committed. */
export function selfSigned(commonName: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = der(SEQUENCE, der(OBJECT_ID, ECDSA_WITH_SHA256));
  const attribute = der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8, Buffer.from(commonName)));
  const name = der(SEQUENCE, der(SET, attribute));
  const validity = der(SEQUENCE, utcTime("200101000000Z"), utcTime("491231235959Z"));
  const serial = der(INTEGER, [1]);
  const spki = publicKey.export({ type: "spki", format: "der" });
  const body = der(SEQUENCE, serial, algorithm, name, validity, name, spki);
  const signature = der(BIT_STRING, [0], sign("sha256", body, privateKey));
  const cert = der(SEQUENCE, body, algorithm, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  };
}

function utcTime(text: string): Buffer {
  return der(UTC_TIME, Buffer.from(text));
}

function der(tag: number, ...parts: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
