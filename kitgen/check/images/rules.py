"""The rules of images."""

from __future__ import annotations

from kitgen.findings import Chapter, Rule, Severity

IMAGE_TAG = Rule(
    id="image-tag",
    chapter=Chapter.IMAGE,
    checks="Every image of a container that a kit renders is one that nodes read, with a tag or a digest.",
    fix="Add the tag of the version, or better the digest; correct what no node reads.",
    why="Without one a node takes the tag latest, which is another image tomorrow.",
    exceptable=True,
)

IMAGE_REFERENCE = Rule(
    id="image-reference",
    chapter=Chapter.IMAGE,
    checks="The image of a container is written as nodes read it: host, path, tag and digest.",
    fix="Correct it; what fills in a placeholder must run before.",
    why=(
        "The API server takes any text. The node that is to run the pod does not: it waits there with "
        "InvalidImageName."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

IMAGE_MOVES = Rule(
    id="image-moves",
    chapter=Chapter.IMAGE,
    checks=(
        "No image has a tag that moves, such as latest, main, dev, stable or nightly, and none has no tag, "
        "which is latest too. One that comes out with the kit's releases has the tag of a version, wherever "
        "a target or its bundle names it."
    ),
    fix="Take the tag of a version, or better the digest.",
    why=(
        "Two nodes run two versions under one name, a rollback brings nothing back, and a mirror holds "
        "another image than was tested. With imagePullPolicy IfNotPresent a node keeps what it has, "
        "however old."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

IMAGE_DIFFERS = Rule(
    id="image-differs",
    chapter=Chapter.IMAGE,
    checks=(
        "In what is applied together, an image has one version and one name: no two tags or digests of one "
        "repository, and neither one path on two registries nor one digest in two repositories."
    ),
    fix="Take the same everywhere; where two are meant, say why in an exception.",
    why=(
        "Mostly one was raised and the other forgotten. Each is pulled, scanned and mirrored by itself, and "
        "a mirror that has one of them is taken for whole."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

IMAGE_UNLISTED = Rule(
    id="image-unlisted",
    chapter=Chapter.IMAGE,
    checks=(
        "Every image in what a target renders is one of the images of its components, also where a "
        "variable or an argument names it."
    ),
    fix="Name it in the images of the component, and refer to it from there.",
    why=(
        "What lists, mirrors, scans or replaces the images of a kit goes by that list, and misses this one: "
        "on a cluster without internet the pod does not start."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

IMAGE_UNWIRED = Rule(
    id="image-unwired",
    chapter=Chapter.IMAGE,
    checks=(
        "In what a target exports for the ODH operator, every image follows a parameter, and no longer text "
        "holds one that a parameter changes."
    ),
    fix="Give the image a key in params.",
    why=(
        "The operator puts the images of its own release into params.env. One that follows no key there "
        "stays what the manifest says: a public tag, which no mirror of the platform has."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

PARAM_INCOMPLETE = Rule(
    id="param-incomplete",
    chapter=Chapter.IMAGE,
    checks=(
        "When a parameter gets another image, the old one is left nowhere: whatever runs or names it follows "
        "the parameter, be it a container, a variable or an argument."
    ),
    fix="Name the field in the fills of the parameter.",
    why=(
        "The ODH operator changes params.env, and then half of the component runs another version than the "
        "rest."
    ),
    exceptable=True,
)

RELATED_IMAGE_MISSING = Rule(
    id="related-image-missing",
    chapter=Chapter.IMAGE,
    checks=(
        "In a release that lists `relatedImages`, every key with an image in the params.env that a target "
        "exports has its variable."
    ),
    fix="Add the key, with the variable that the platform's operator reads.",
    why=(
        "The operator puts images into params.env from variables of its own. A key without one keeps what "
        "the manifests say: a public tag, which no mirror of the platform has."
    ),
    exceptable=True,
)

RELATED_IMAGE_UNUSED = Rule(
    id="related-image-unused",
    chapter=Chapter.IMAGE,
    checks=(
        "Every key in the `relatedImages` of a release holds an image in the params.env of a target that "
        "ships it."
    ),
    fix="Take the key that the hint offers, or remove it.",
    why="The operator looks the key up in params.env, does not find it, and says nothing.",
    exceptable=True,
)
